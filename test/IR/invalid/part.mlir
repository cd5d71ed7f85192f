// RUN: nacho-opt %s -split-input-file -verify-diagnostics

// Every diagnostic of nacho.part.

func.func @part_of_nothing() -> index {
  // expected-error @below {{must be inside a nacho.nest that collects part_sums}}
  %part = nacho.part
  return %part : index
}

// -----

#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
#Sums = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa)) }>
!A0 = !nacho.fiber<tensor<?xf64, #SV>, 0>
!A1 = !nacho.fiber<tensor<?xf64, #SV>, 1>
func.func @parts_of_no_sums(%A: tensor<?xf64, #SV>) -> tensor<?x?xf64, #Sums> {
  %A0 = nacho.root %A : tensor<?xf64, #SV>
  %E = nacho.nest collect<sorted_list> : tensor<?x?xf64, #Sums> {
    nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1 {
      %a = nacho.load %A1 : !A1
      // expected-error @below {{must be inside a nacho.nest that collects part_sums}}
      %part = nacho.part
      nacho.append %a at (%i, %part) : f64
    }
    nacho.yield
  }
  return %E : tensor<?x?xf64, #Sums>
}
