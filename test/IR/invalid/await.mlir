// RUN: nacho-opt %s -split-input-file -verify-diagnostics

// Every diagnostic of nacho.await.

func.func @outside(%n: index) {
  // expected-error @below {{must be directly inside a nacho.parallel}}
  nacho.await %n
  return
}

// -----

func.func @twice(%n: index) {
  nacho.parallel %worker in %n threads %n {
    // expected-error @below {{must be the only one of its nacho.parallel}}
    nacho.await %worker
    nacho.await %worker
  }
  return
}

// -----

func.func @lanes(%n: index) {
  nacho.parallel %worker in %n threads %n {
    %lane = nacho.lane of 32
    // expected-error @below {{cannot be where nacho.lane is}}
    nacho.await %worker
  }
  return
}
