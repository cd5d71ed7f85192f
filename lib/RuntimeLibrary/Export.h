//===- Export.h - Exported symbols of the runtime library -----------------===//

#ifndef NACHO_RUNTIMELIBRARY_EXPORT_H
#define NACHO_RUNTIMELIBRARY_EXPORT_H

#define NACHO_EXPORT extern "C" __attribute__((visibility("default")))

#endif // NACHO_RUNTIMELIBRARY_EXPORT_H
