// The page while one types. What is asked for comes as the server draws it; only a text that goes on comes in parts.
"use strict";
document.documentElement.classList.add("live");
const kPause = 300;  // milliseconds after a key
const keys = [...document.querySelectorAll("[name=api_key]")];
let key = keys.length ? sessionStorage.getItem("kette-key") || "" : "";
for (const input of keys) {
  input.value = key;
  input.addEventListener("input", () => {
    key = input.value;
    sessionStorage.setItem("kette-key", key);
    for (const other of keys) other.value = key;
  });
}
const element = (name, fields, ...children) => {
  const result = Object.assign(document.createElement(name), fields);
  result.append(...children);
  return result;
};
const told = (words) => element("div", { className: "result error", role: "alert", textContent: words });
// Of an answer that is no part of the page.
async function wordsOf(answer) {
  const text = await answer.text();
  try {
    const json = JSON.parse(text);
    return json.error.message || json.error;
  } catch {
    return "The server answered with status " + answer.status + ".";
  }
}
// Sends, shows that it waits, and lets go of what was asked for before, so that the server drops it.
function asker(place, take) {
  let running = null;
  return {
    isRunning: () => running !== null,
    stop() { if (running) running.abort(); },
    async ask(path, body, headers = {}) {
      this.stop();
      const mine = running = new AbortController();
      place.setAttribute("aria-busy", "true");
      try {
        if (key) headers.Authorization = "Bearer " + key;
        await take(await fetch(path, { method: "POST", body, headers, signal: mine.signal }));
      } catch (error) {
        if (error.told) place.append(told(error.told));  // below what has come until then
        else if (error.name !== "AbortError") place.replaceChildren(told("The server cannot be reached."));
      }
      if (running !== mine) return;
      running = null;
      place.removeAttribute("aria-busy");
    },
  };
}

const translate = document.querySelector("#translate form");
if (translate) {
  const place = translate.querySelector(".answer");
  const asking = asker(place, async (answer) => {
    const isPart = answer.headers.get("content-type").startsWith("text/html");
    if (isPart) place.innerHTML = await answer.text();
    else place.replaceChildren(told(await wordsOf(answer)));
  });
  const ask = () => {
    const fields = new URLSearchParams(new FormData(translate));
    fields.delete("api_key");
    fields.set("part", "1");
    asking.ask("./", fields);
  };
  let timer = 0;
  translate.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(ask, kPause);
  });
  translate.addEventListener("submit", (event) => { event.preventDefault(); ask(); });
}

const write = document.querySelector("#write form");
if (write) {
  const place = write.querySelector(".answer"), button = write.querySelector("button"), name = button.textContent;
  let wanted = null;
  const asking = asker(place, async (answer) => {
    if (!answer.ok) { place.replaceChildren(told(await wordsOf(answer))); return; }
    const text = document.createTextNode(""), after = element("p", { className: "after notes", textContent: "\u2026" });
    const given = element("span", { className: "given", textContent: wanted.prompt });
    place.replaceChildren(element("div", { className: "result" }, given, text), after);
    const end = (why) => {
      const link = element("a", { className: "explain", target: "_blank", textContent: "How the model reads it" });
      link.href = "./explain?" + new URLSearchParams({ model: wanted.model, text: wanted.prompt + text.data });
      after.replaceChildren(why + ". Seed " + wanted.seed + ". ", link);
    };
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let isWhole = false;
    try {
      for (let rest = "", part; !(part = await reader.read()).done;) {
        const events = (rest + part.value).split("\n\n");
        rest = events.pop();
        for (const event of events) {
          const line = event.split("\n").find((one) => one.startsWith("data: "));  // beside the kind of event
          if (!line || line === "data: [DONE]") continue;
          const json = JSON.parse(line.slice("data: ".length));
          if (json.error) throw Object.assign(new Error(), { told: json.error.message });
          const choice = json.choices[0];
          text.data += choice.text;
          const why = { length: "Stopped at the most tokens", stop: "The text has ended" };
          if (choice.finish_reason) {
            isWhole = true;
            end(why[choice.finish_reason]);
          }
        }
      }
      if (!isWhole) throw new Error("the end of the text is missing");
    } catch (error) {
      const isStopped = error.name === "AbortError";
      end(isStopped ? "Stopped" : "Broken off");
      if (!isStopped) error.told ||= "The server's answer has broken off.";
      throw error;
    }
  });
  write.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (asking.isRunning()) { asking.stop(); return; }
    const fields = Object.fromEntries(new FormData(write));
    const number = (field, otherwise) => (fields[field] === "" ? otherwise : Number(fields[field]));
    wanted = { model: fields.model, prompt: fields.prompt.replaceAll("\r\n", "\n"), stream: true,
      max_tokens: number("max_tokens", Math.min(100, write.elements.max_tokens.max)),
      temperature: number("temperature", 1), top_p: number("top_p", 1),
      seed: number("seed", Math.floor(Math.random() * 2 ** 31)) };
    button.textContent = "Stop";
    await asking.ask("./v1/completions", JSON.stringify(wanted), { "Content-Type": "application/json" });
    button.textContent = name;
  });
}

// A link has no key; a form has.
document.addEventListener("click", (event) => {
  const link = event.target.closest("a.explain");
  if (!link || !key) return;
  event.preventDefault();
  const url = new URL(link.href), action = url.origin + url.pathname;
  const form = element("form", { method: "post", action, target: "_blank", hidden: true });
  for (const [name, value] of [...url.searchParams, ["api_key", key]]) {
    form.append(element("input", { type: "hidden", name, value }));
  }
  document.body.append(form);
  form.submit();
  form.remove();
});
