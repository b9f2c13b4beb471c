// What a file of an op includes: recording, samples and the kernels of all devices.
#pragma once

#include "autograd/record.h"
#include "autograd/sample.h"
#include "tensor/kernels.h"
