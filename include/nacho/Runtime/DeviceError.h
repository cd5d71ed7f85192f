//===- DeviceError.h - Errors of devices ----------------------------------===//

#ifndef NACHO_RUNTIME_DEVICEERROR_H
#define NACHO_RUNTIME_DEVICEERROR_H

#include <stdexcept>

namespace nacho {

/// There is no device, or it refused a call, or a kernel failed on it.
struct DeviceError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

} // namespace nacho

#endif // NACHO_RUNTIME_DEVICEERROR_H
