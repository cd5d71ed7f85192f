// RUN: nacho-opt %s -split-input-file -verify-diagnostics

// Every diagnostic of nacho.pieces, nacho.children_at and nacho.piece_shift, and of nests
// that list or collect pieces.

#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
!A0 = !nacho.fiber<tensor<?x?xf64, #CSR>, 0>
func.func @pieces_of_rows(%A0: !A0, %shift: index) {
  // expected-error @below {{needs a fiber of a last level that stores coordinates}}
  %0 = nacho.pieces %A0 by %shift : !A0
  return
}

// -----

#Dense = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : compressed, d1 : dense) }>
!A1 = !nacho.fiber<tensor<?x?xf64, #Dense>, 1>
func.func @pieces_of_a_full_level(%A1: !A1, %shift: index) {
  // expected-error @below {{needs a fiber of a last level that stores coordinates}}
  %0 = nacho.pieces %A1 by %shift : !A1
  return
}

// -----

#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
!A0 = !nacho.fiber<tensor<?x?xf64, #CSR>, 0>
!A2 = !nacho.fiber<tensor<?x?xf64, #CSR>, 2>
func.func @children_that_are_elements(%A0: !A0, %p: index) -> !A2 {
  // expected-error @below {{cannot get children in the last level}}
  %0 = nacho.children_at %A0[%p to %p] : !A0 -> !A2
  return %0 : !A2
}

// -----

#List = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa)) }>
!L0 = !nacho.fiber<tensor<?x?xi64, #List>, 0, scanned_list>
func.func @shift_of_a_list(%L: tensor<?x?xi64, #List>, %extent: index) {
  %L0 = nacho.root %L scanned_list : tensor<?x?xi64, #List>
  nacho.coiterate %i of (%L1 = %L0 : !L0) in %L1 {
    // expected-error @below {{sizes the pieces of rows of a scanned list}}
    %0 = nacho.piece_shift %L0 of %extent : !L0
  }
  return
}

// -----

#List = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
func.func @pieces_of_no_list(%N: index) {
  %cost = arith.constant 1 : i64
  // expected-error @below {{lists pieces, but loops over no scanned_list}}
  %P = nacho.nest collect<piece_list> : tensor<?xi64, #List> {
    nacho.coiterate %i to %N of () in intersect() {
      nacho.append %cost at (%i) : i64
    }
    nacho.yield
  }
  return
}

// -----

#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
func.func @rows_without_pieces(%N: index) {
  %x = arith.constant 1.0 : f64
  // expected-error @below {{has no rows that come in pieces}}
  %Z = nacho.nest collect<whole_rows> reduce add row_pieces 1 : tensor<?x?xf64, #CSR> {
    nacho.coiterate %i to %N of () in intersect() {
      nacho.coiterate %k to %N of () in intersect() {
        nacho.append %x at (%i, %k) : f64
      }
    }
    nacho.yield
  }
  return
}

// -----

#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
func.func @pieces_in_order(%N: index) {
  %x = arith.constant 1.0 : f64
  // expected-error @below {{has no rows that come in pieces}}
  %Z = nacho.nest row_pieces 1 : tensor<?x?xf64, #CSR> {
    nacho.coiterate %i to %N of () in intersect() {
      nacho.coiterate %k to %N of () in intersect() {
        nacho.append %x at (%i, %k) : f64
      }
    }
    nacho.yield
  }
  return
}
