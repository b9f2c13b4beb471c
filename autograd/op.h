// The includes of an op's source file: recording, samples and the kernels of all devices.
#pragma once

#include "autograd/record.h"
#include "autograd/sample.h"
#include "tensor/kernels.h"
