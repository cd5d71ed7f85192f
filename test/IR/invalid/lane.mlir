// RUN: nacho-opt %s -split-input-file -verify-diagnostics

// Every diagnostic of nacho.lane, and of what lanes do together.

func.func @outside() {
  // expected-error @below {{must be directly inside a nacho.parallel}}
  %lane = nacho.lane of 32
  return
}

// -----

func.func @nested(%n: index, %threads: index, %b: i1) {
  nacho.parallel %part in %n threads %threads {
    scf.if %b {
      // expected-error @below {{must be directly inside a nacho.parallel}}
      %lane = nacho.lane of 32
    }
  }
  return
}

// -----

func.func @twice(%n: index, %threads: index) {
  nacho.parallel %part in %n threads %threads {
    // expected-error @below {{must be the only one of its nacho.parallel}}
    %lane = nacho.lane of 32
    %other = nacho.lane of 32
  }
  return
}

// -----

func.func @tiled(%n: index, %threads: index) {
  nacho.parallel %part in %n threads %threads {
    %begin, %end = nacho.tile %part of %n by 32
    // expected-error @below {{cannot be where nacho.tile is}}
    %lane = nacho.lane of 32
  }
  return
}

// -----

func.func @no_lanes(%n: index, %threads: index, %x: f64) {
  nacho.parallel %part in %n threads %threads {
    // expected-error @below {{must be inside a nacho.parallel with a nacho.lane}}
    %y = nacho.from_lane %x at %part : f64
  }
  return
}

// -----

func.func @nobody_to_wait_for(%n: index, %threads: index) {
  nacho.parallel %part in %n threads %threads {
    // expected-error @below {{must be inside a nacho.parallel with a nacho.lane}}
    nacho.lane_sync
  }
  return
}

// -----

func.func @nobody_to_ask(%n: index, %threads: index, %flag: i1) {
  nacho.parallel %part in %n threads %threads {
    // expected-error @below {{must be inside a nacho.parallel with a nacho.lane}}
    %flags = nacho.ballot %flag : i32
  }
  return
}

// -----

func.func @too_few_bits(%n: index, %threads: index, %flag: i1) {
  nacho.parallel %part in %n threads %threads {
    %lane = nacho.lane of 64
    // expected-error @below {{has fewer bits than there are lanes, which are 64}}
    %flags = nacho.ballot %flag : i32
  }
  return
}
