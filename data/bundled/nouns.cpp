// The nouns: English singular and plural; German gender, nominative, genitive and plural; kinds.
// No plural: mass nouns, names, and parents, of whom one has one each.
// A masculine genitive in -n (des Jungen) marks the weak declension.
#include <vector>

#include "data/bundled/lexicon.h"

namespace kette::bundled {

const std::vector<Noun>& nouns() {
  using namespace kind;
  constexpr Gender m = Gender::masculine, f = Gender::feminine, n = Gender::neuter;
  static const std::vector<Noun> table = {
      // People
      {"man", "men", m, "Mann", "Mannes", "Männer", gendered},
      {"father", "", m, "Vater", "Vaters", "", gendered | kin},
      {"brother", "brothers", m, "Bruder", "Bruders", "Brüder", gendered | kin},
      {"son", "sons", m, "Sohn", "Sohnes", "Söhne", gendered | kin},
      {"uncle", "uncles", m, "Onkel", "Onkels", "Onkel", gendered | kin},
      {"friend", "friends", m, "Freund", "Freundes", "Freunde", gendered | fellow},
      {"neighbor", "neighbors", m, "Nachbar", "Nachbarn", "Nachbarn", gendered | fellow},
      {"guest", "guests", m, "Gast", "Gastes", "Gäste", gendered},
      {"king", "kings", m, "König", "Königs", "Könige", gendered},
      {"teacher", "teachers", m, "Lehrer", "Lehrers", "Lehrer", gendered | profession},
      {"doctor", "doctors", m, "Arzt", "Arztes", "Ärzte", gendered | profession},
      {"farmer", "farmers", m, "Bauer", "Bauern", "Bauern", gendered | profession},
      {"baker", "bakers", m, "Bäcker", "Bäckers", "Bäcker", gendered | profession},
      {"painter", "painters", m, "Maler", "Malers", "Maler", gendered | profession},
      {"policeman", "policemen", m, "Polizist", "Polizisten", "Polizisten", gendered | profession},
      {"student", "students", m, "Student", "Studenten", "Studenten", gendered | profession},
      {"boy", "boys", m, "Junge", "Jungen", "Jungen", gendered | boy},
      {"woman", "women", f, "Frau", "Frau", "Frauen", gendered},
      {"mother", "", f, "Mutter", "Mutter", "", gendered | kin},
      {"sister", "sisters", f, "Schwester", "Schwester", "Schwestern", gendered | kin},
      {"daughter", "daughters", f, "Tochter", "Tochter", "Töchter", gendered | kin},
      {"aunt", "aunts", f, "Tante", "Tante", "Tanten", gendered | kin},
      {"grandmother", "", f, "Großmutter", "Großmutter", "", gendered | kin},
      {"queen", "queens", f, "Königin", "Königin", "Königinnen", gendered},
      {"waitress", "waitresses", f, "Kellnerin", "Kellnerin", "Kellnerinnen",
       gendered | profession},
      {"actress", "actresses", f, "Schauspielerin", "Schauspielerin", "Schauspielerinnen",
       gendered | profession},
      {"child", "children", n, "Kind", "Kindes", "Kinder", child},
      {"girl", "girls", n, "Mädchen", "Mädchens", "Mädchen", child},
      {"Anna", "", f, "Anna", "", "", gendered | name},
      {"Maria", "", f, "Maria", "", "", gendered | name},
      {"Julia", "", f, "Julia", "", "", gendered | name},
      {"Peter", "", m, "Peter", "", "", gendered | name},
      {"Paul", "", m, "Paul", "", "", gendered | name},
      {"Thomas", "", m, "Thomas", "", "", gendered | name},

      // Animals, from small to big, which comparisons rely on
      {"mouse", "mice", f, "Maus", "Maus", "Mäuse", animal | drawable},
      {"bird", "birds", m, "Vogel", "Vogels", "Vögel", animal | drawable},
      {"duck", "ducks", f, "Ente", "Ente", "Enten", animal | drawable},
      {"rabbit", "rabbits", m, "Hase", "Hasen", "Hasen", animal | drawable},
      {"cat", "cats", f, "Katze", "Katze", "Katzen", animal | drawable},
      {"dog", "dogs", m, "Hund", "Hundes", "Hunde", animal | drawable},
      {"goat", "goats", f, "Ziege", "Ziege", "Ziegen", animal | drawable},
      {"pig", "pigs", n, "Schwein", "Schweins", "Schweine", animal | drawable},
      {"bear", "bears", m, "Bär", "Bären", "Bären", animal | drawable},
      {"horse", "horses", n, "Pferd", "Pferdes", "Pferde", animal | drawable},
      {"cow", "cows", f, "Kuh", "Kuh", "Kühe", animal | drawable},

      // Food and drink
      {"apple", "apples", m, "Apfel", "Apfels", "Äpfel", food | fresh | sweet},
      {"pear", "pears", f, "Birne", "Birne", "Birnen", food | fresh | sweet},
      {"banana", "bananas", f, "Banane", "Banane", "Bananen", food | fresh | sweet},
      {"tomato", "tomatoes", f, "Tomate", "Tomate", "Tomaten", food | fresh | cooked},
      {"potato", "potatoes", f, "Kartoffel", "Kartoffel", "Kartoffeln", food | cooked},
      {"egg", "eggs", n, "Ei", "Eies", "Eier", food | fresh | cooked},
      {"sausage", "sausages", f, "Wurst", "Wurst", "Würste", food | cooked},
      {"roll", "rolls", n, "Brötchen", "Brötchens", "Brötchen", food | fresh | baked},
      {"cake", "cakes", m, "Kuchen", "Kuchens", "Kuchen", food | fresh | sweet | baked},
      {"salad", "salads", m, "Salat", "Salats", "Salate", food | fresh},
      {"bread", "", n, "Brot", "Brotes", "", food | fresh | baked},
      {"cheese", "", m, "Käse", "Käses", "", food},
      {"soup", "", f, "Suppe", "Suppe", "", food | cooked | served},
      {"water", "", n, "Wasser", "Wassers", "", drink | served},
      {"milk", "", f, "Milch", "Milch", "", drink | served | fresh},
      {"coffee", "", m, "Kaffee", "Kaffees", "", drink | served | cooked},
      {"tea", "", m, "Tee", "Tees", "", drink | served | sweet | cooked},
      {"juice", "", m, "Saft", "Saftes", "", drink | fresh | sweet},

      // Things to read
      {"book", "books", n, "Buch", "Buches", "Bücher", text | written | flat | heavy | pocket},
      {"letter", "letters", m, "Brief", "Briefes", "Briefe", text | written | flat | extent},
      {"newspaper", "newspapers", f, "Zeitung", "Zeitung", "Zeitungen", text | flat},
      {"poem", "poems", n, "Gedicht", "Gedichts", "Gedichte", text | written | extent},
      {"story", "stories", f, "Geschichte", "Geschichte", "Geschichten",
       text | written | told | extent},
      {"novel", "novels", m, "Roman", "Romans", "Romane", text | written | flat | extent},
      {"report", "reports", m, "Bericht", "Berichts", "Berichte", text | written | extent},

      // Clothes
      {"coat", "coats", m, "Mantel", "Mantels", "Mäntel", clothing | flat | coloured | extent},
      {"dress", "dresses", n, "Kleid", "Kleides", "Kleider",
       clothing | washable | coloured | extent},
      {"shirt", "shirts", n, "Hemd", "Hemdes", "Hemden", clothing | flat | washable | coloured},
      {"jacket", "jackets", f, "Jacke", "Jacke", "Jacken", clothing | flat | washable | coloured},
      {"hat", "hats", m, "Hut", "Hutes", "Hüte", clothing | flat | coloured},
      {"skirt", "skirts", m, "Rock", "Rockes", "Röcke", clothing | washable | coloured | extent},

      // Things that stand
      {"vase", "vases", f, "Vase", "Vase", "Vasen", upright | breakable | coloured | hollow},
      {"cup", "cups", f, "Tasse", "Tasse", "Tassen", upright | washable | coloured | hollow},
      {"glass", "glasses", n, "Glas", "Glases", "Gläser", upright | washable | hollow},
      {"plate", "plates", m, "Teller", "Tellers", "Teller", upright | washable | hollow},
      {"bottle", "bottles", f, "Flasche", "Flasche", "Flaschen",
       upright | opening | hollow | coloured},
      {"suitcase", "suitcases", m, "Koffer", "Koffers", "Koffer",
       upright | opening | container | coloured | heavy | hollow},
      {"basket", "baskets", m, "Korb", "Korbes", "Körbe", upright | container | heavy | hollow},
      {"box", "boxes", f, "Kiste", "Kiste", "Kisten",
       upright | container | opening | heavy | hollow},
      {"lamp", "lamps", f, "Lampe", "Lampe", "Lampen",
       upright | device | electric | coloured | breakable},
      {"radio", "radios", n, "Radio", "Radios", "Radios", upright | device | electric | breakable},
      {"computer", "computers", m, "Computer", "Computers", "Computer",
       upright | device | electric | breakable},

      // Things that lie
      {"key", "keys", m, "Schlüssel", "Schlüssels", "Schlüssel", flat | pocket},
      {"knife", "knives", n, "Messer", "Messers", "Messer", flat | washable | pocket},
      {"spoon", "spoons", m, "Löffel", "Löffels", "Löffel", flat | washable | pocket},
      {"bag", "bags", f, "Tasche", "Tasche", "Taschen",
       flat | container | opening | coloured | heavy | hollow},
      {"umbrella", "umbrellas", m, "Regenschirm", "Regenschirms", "Regenschirme",
       flat | coloured | breakable | pocket | opening},
      {"picture", "pictures", n, "Bild", "Bildes", "Bilder", flat},
      {"ball", "balls", m, "Ball", "Balles", "Bälle", flat | toy | coloured | pocket},
      {"doll", "dolls", f, "Puppe", "Puppe", "Puppen", flat | toy | pocket},
      {"gift", "gifts", n, "Geschenk", "Geschenks", "Geschenke", flat},
      {"flower", "flowers", f, "Blume", "Blume", "Blumen", flat | coloured | drawable},
      {"clock", "clocks", f, "Uhr", "Uhr", "Uhren", flat | device | breakable},
      {"camera", "cameras", f, "Kamera", "Kamera", "Kameras", flat | device | breakable | pocket},

      // Vehicles
      {"car", "cars", n, "Auto", "Autos", "Autos",
       vehicle | device | coloured | breakable | washable},
      {"bicycle", "bicycles", n, "Fahrrad", "Fahrrads", "Fahrräder",
       vehicle | device | coloured | breakable | washable},
      {"boat", "boats", n, "Boot", "Bootes", "Boote", vehicle | coloured | drawable},
      {"train", "trains", m, "Zug", "Zuges", "Züge", transport | extent},
      {"bus", "buses", m, "Bus", "Busses", "Busse", transport | coloured},

      // What one has or lacks
      {"time", "", f, "Zeit", "Zeit", "", means},
      {"money", "", n, "Geld", "Geldes", "", means},

      // Furniture and openings
      {"table", "tables", m, "Tisch", "Tisches", "Tische", surface | heavy},
      {"desk", "desks", m, "Schreibtisch", "Schreibtischs", "Schreibtische", surface | heavy},
      {"shelf", "shelves", n, "Regal", "Regals", "Regale", surface},
      {"chair", "chairs", m, "Stuhl", "Stuhls", "Stühle", seat | coloured | breakable},
      {"sofa", "sofas", n, "Sofa", "Sofas", "Sofas", seat | coloured | heavy},
      {"bench", "benches", f, "Bank", "Bank", "Bänke", seat | coloured},
      {"bed", "beds", n, "Bett", "Bettes", "Betten", seat},
      {"cupboard", "cupboards", m, "Schrank", "Schranks", "Schränke",
       container | opening | heavy | hollow},
      {"door", "doors", f, "Tür", "Tür", "Türen", opening | coloured},
      {"window", "windows", n, "Fenster", "Fensters", "Fenster", opening | washable},

      // Places, likewise
      {"garden", "gardens", m, "Garten", "Gartens", "Gärten", outdoors | drawable},
      {"park", "parks", m, "Park", "Parks", "Parks", outdoors},
      {"village", "villages", n, "Dorf", "Dorfes", "Dörfer", outdoors | drawable},
      {"city", "cities", f, "Stadt", "Stadt", "Städte", outdoors | drawable},
      {"forest", "forests", m, "Wald", "Waldes", "Wälder", outdoors | drawable},
      {"house", "houses", n, "Haus", "Hauses", "Häuser", building | drawable},
      {"library", "libraries", f, "Bibliothek", "Bibliothek", "Bibliotheken", building},
      {"school", "schools", f, "Schule", "Schule", "Schulen", building},
      {"museum", "museums", n, "Museum", "Museums", "Museen", building},
      {"hotel", "hotels", n, "Hotel", "Hotels", "Hotels", building},
      {"church", "churches", f, "Kirche", "Kirche", "Kirchen", building | drawable},
      {"castle", "castles", n, "Schloss", "Schlosses", "Schlösser", building | drawable},
      {"kitchen", "kitchens", f, "Küche", "Küche", "Küchen", room},
      {"room", "rooms", n, "Zimmer", "Zimmers", "Zimmer", room | hollow},
      {"cellar", "cellars", m, "Keller", "Kellers", "Keller", room | hollow},
      {"office", "offices", n, "Büro", "Büros", "Büros", room},
      {"Berlin", "", n, "Berlin", "", "", city},
      {"Vienna", "", n, "Wien", "", "", city},
      {"Munich", "", n, "München", "", "", city},
      {"Hamburg", "", n, "Hamburg", "", "", city},
  };
  return table;
}

}  // namespace kette::bundled
