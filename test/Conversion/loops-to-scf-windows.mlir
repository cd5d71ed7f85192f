// RUN: nacho-opt %s -convert-nacho-loops-to-scf=vector-bits=256 -canonicalize -cse | FileCheck %s
// RUN: nacho-opt %s -convert-nacho-loops-to-scf=vector-bits=256 -convert-nacho-parallel-to-cpu -canonicalize | FileCheck %s --check-prefix=CPU
// RUN: nacho-opt %s -convert-nacho-loops-to-scf -canonicalize -cse | FileCheck %s --check-prefix=NONE

// Keys of flattened lists are computed by the register, 512 at a time, and merged from
// there. Without vector registers each is computed where it is needed.
//
// NONE:     module
// NONE-NOT: vector
// NONE-NOT: memref.alloca

#COO = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa)), posWidth = 32, crdWidth = 32 }>
#Flat = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed), posWidth = 32, crdWidth = 64 }>
!F0 = !nacho.fiber<tensor<?xf64, #Flat>, 0>
!F1 = !nacho.fiber<tensor<?xf64, #Flat>, 1>

// CHECK-LABEL: func.func @count(
// CHECK-SAME:    %[[A:[^ ]+]]: tensor<{{[^:]+}}, %[[B:[^ ]+]]: tensor<{{[^:]+}}
// CHECK-DAG:     %[[MOST:.+]] = arith.constant dense<9223372036854775807> : vector<8xi64>
// CHECK:         %[[KEYS_A:.+]] = memref.alloca() : memref<516xi64>
// CHECK:         %[[KEYS_B:.+]] = memref.alloca() : memref<516xi64>
//
// while (posA < endA && posB < endB):
// CHECK-NEXT:    %[[ALL:.+]]:3 = scf.while (%[[PA:[^ ]+]] = %{{[^ ]+}}, %[[PB:[^ ]+]] = %{{[^ ]+}}, %{{[^ ]+}} = %c0{{.*}})
// CHECK-NEXT:      arith.cmpi ult, %[[PA]], %[[END_A:[^ ]+]] : index
// CHECK-NEXT:      arith.cmpi ult, %[[PB]], %[[END_B:[^ ]+]] : index
// CHECK:         ^{{.+}}(%[[PA:[^ ]+]]: index, %[[PB:[^ ]+]]: index, %[[N:[^ ]+]]: index):
//
//   stopA = min(endA, posA + 512)
// CHECK-NEXT:      %[[FAR_A:.+]] = arith.addi %[[PA]], %c512
// CHECK-NEXT:      %[[STOP_A:.+]] = arith.minui %[[END_A]], %[[FAR_A]]
// CHECK-NEXT:      %[[SIZE_A:.+]] = arith.subi %[[STOP_A]], %[[PA]]
// CHECK-NEXT:      %[[LEFT_A:.+]] = arith.remui %[[SIZE_A]], %c8
// CHECK-NEXT:      %[[WHOLE_A:.+]] = arith.subi %[[STOP_A]], %[[LEFT_A]]
//
//   eight at a time: keysA[p - posA] = those of crd0[p ...] and crd1[p ...]
// CHECK-NEXT:      scf.for %[[P:.+]] = %[[PA]] to %[[WHOLE_A]] step %c8
// CHECK-NEXT:        %[[AT:.+]] = arith.subi %[[P]], %[[PA]]
// CHECK-NEXT:        %[[CRD0:.+]] = vector.load %{{.+}}[%[[P]]] : memref<?xi32>, vector<8xi32>
// CHECK-NEXT:        %[[I:.+]] = arith.extui %[[CRD0]] : vector<8xi32> to vector<8xi64>
// CHECK:             %[[FITS_I:.+]] = arith.cmpi ult, %[[I]], %{{.+}} : vector<8xi64>
// CHECK:             %[[HIGH:.+]] = arith.shli %[[I]], %{{.+}} : vector<8xi64>
// CHECK:             %[[CRD1:.+]] = vector.load %{{.+}}[%[[P]]] : memref<?xi32>, vector<8xi32>
// CHECK-NEXT:        %[[J:.+]] = arith.extui %[[CRD1]] : vector<8xi32> to vector<8xi64>
// CHECK:             %[[FITS_J:.+]] = arith.cmpi ult, %[[J]], %{{.+}} : vector<8xi64>
// CHECK-NEXT:        %[[FIT:.+]] = arith.andi %[[FITS_I]], %[[FITS_J]]
// CHECK-NEXT:        %[[BOTH:.+]] = arith.ori %[[HIGH]], %[[J]]
// CHECK-NEXT:        %[[KEYS:.+]] = arith.select %[[FIT]], %[[BOTH]], %[[MOST]]
// CHECK-NEXT:        vector.store %[[KEYS]], %[[KEYS_A]][%[[AT]]]
// CHECK-NEXT:      }
//
//   and what is left
// CHECK-NEXT:      %[[IS_LEFT:.+]] = arith.cmpi ult, %[[WHOLE_A]], %[[STOP_A]]
// CHECK-NEXT:      scf.if %[[IS_LEFT]] {
// CHECK:             %[[VALID:.+]] = vector.create_mask
// CHECK:             vector.maskedload %{{.+}}[%[[WHOLE_A]]], %[[VALID]]
// CHECK:             vector.maskedload %{{.+}}[%[[WHOLE_A]]], %[[VALID]]
// CHECK:             vector.store %{{.+}}, %[[KEYS_A]]
//
//   the same for B; and the blocks of what is there
// CHECK:           scf.for
// CHECK:             vector.store %{{.+}}, %[[KEYS_B]]
// CHECK:           %[[SOME:.+]]:3 = scf.while (%{{[^ ]+}} = %[[PA]], %{{[^ ]+}} = %[[PB]], %{{[^ ]+}} = %[[N]])
// CHECK-NEXT:        arith.cmpi ult, %{{.+}}, %[[STOP_A]] : index
// CHECK:           ^{{.+}}(%[[QA:[^ ]+]]: index, %[[QB:[^ ]+]]: index, %{{[^ ]+}}: index):
// CHECK:             %[[AT_A:.+]] = arith.subi %[[QA]], %[[PA]]
// CHECK-NEXT:        vector.maskedload %[[KEYS_A]][%[[AT_A]]], %{{.+}} : memref<516xi64>, vector<4xi1>, vector<4xi64>
// CHECK:             %[[AT_B:.+]] = arith.subi %[[QB]], %[[PB]]
// CHECK-NEXT:        vector.maskedload %[[KEYS_B]][%[[AT_B]]]
// CHECK:             math.ctpop
// CHECK:           scf.yield %[[SOME]]#0, %[[SOME]]#1, %[[SOME]]#2
// CHECK:         return %[[ALL]]#2
func.func @count(%A: tensor<?x?xf64, #COO>, %B: tensor<?x?xf64, #COO>) -> index {
  %A_flat = nacho.flatten %A : tensor<?x?xf64, #COO>
  %B_flat = nacho.flatten %B : tensor<?x?xf64, #COO>
  %A0 = nacho.root %A_flat : tensor<?xf64, #Flat>
  %B0 = nacho.root %B_flat : tensor<?xf64, #Flat>
  %n = nacho.count of (%A0 : !F0, %B0 : !F0) in intersect(%A0, %B0)
  return %n : index
}

// Steps of a union have loaded the next keys, so they end one before the window does. What
// no window has both of is left over.
//
// CHECK-LABEL: func.func @union(
// CHECK:         %[[KEYS_A:.+]] = memref.alloca() : memref<516xi64>
// CHECK:         %[[ALL:.+]]:3 = scf.while
// CHECK:         ^{{.+}}(%[[PA:[^ ]+]]: index, %[[PB:[^ ]+]]: index, %{{[^ ]+}}: index):
// CHECK:           %[[STOP_A:.+]] = arith.minui
// CHECK:           %[[LAST_A:.+]] = arith.addi %[[PA]], %c511
// CHECK-NEXT:      %[[TO_A:.+]] = arith.minui %[[STOP_A]], %[[LAST_A]]
// CHECK:           %[[SOME:.+]]:5 = scf.while (%{{[^ ]+}} = %[[PA]], %{{[^ ]+}} = %[[PB]]
// CHECK-NEXT:        arith.cmpi ult, %{{.+}}, %[[TO_A]] : index
// CHECK:             %[[NEXT:.+]] = arith.addi %{{.+}}, %c1
// CHECK-NEXT:        %[[AT:.+]] = arith.subi %[[NEXT]], %[[PA]]
// CHECK-NEXT:        memref.load %[[KEYS_A]][%[[AT]]] : memref<516xi64>
// CHECK:             memref.store
// CHECK:           scf.yield %[[SOME]]#0, %[[SOME]]#1, %[[SOME]]#4
//
// CHECK-NOT:     memref<516xi64>
// CHECK:         scf.while (%{{[^ ]+}} = %[[ALL]]#0, %{{[^ ]+}} = %[[ALL]]#1,
// CHECK-NOT:     memref<516xi64>
// CHECK:         return
func.func @union(%A: tensor<?x?xf64, #COO>, %B: tensor<?x?xf64, #COO>, %out: memref<?xf64>,
                 %start: index) {
  %one = arith.constant 1 : index
  %A_flat = nacho.flatten %A : tensor<?x?xf64, #COO>
  %B_flat = nacho.flatten %B : tensor<?x?xf64, #COO>
  %A0 = nacho.root %A_flat : tensor<?xf64, #Flat>
  %B0 = nacho.root %B_flat : tensor<?xf64, #Flat>
  %n = nacho.coiterate %key of (%A1 = %A0 : !F0, %B1 = %B0 : !F0) in union(%A1, %B1)
      iter_args(%m = %start : index) {
    %a = nacho.load %A1 : !F1
    memref.store %a, %out[%m] : memref<?xf64>
    %next = arith.addi %m, %one : index
    nacho.yield %next : index
  }
  return
}

#DCSR = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed, d1 : compressed), posWidth = 32, crdWidth = 32 }>

// Of a tree, the first coordinates of a window are stored where their fibers begin, and
// spread from there. Where the fibers of a window are is looked for from those of the last
// one on.
//
// CHECK-LABEL: func.func @trees(
// CHECK:         %[[KEYS:.+]] = memref.alloca() : memref<516xi64>
// CHECK:         %[[CURSOR:.+]] = memref.alloca() : memref<1xindex>
// CHECK:         memref.store %c0, %[[CURSOR]][%c0]
// CHECK:         scf.while
// CHECK:         ^{{.+}}(%[[PA:[^ ]+]]: index, %{{[^ ]+}}: index, %{{[^ ]+}}: index):
// CHECK:           %[[STOP:.+]] = arith.minui
// CHECK:           %[[HERE:.+]] = memref.load %[[CURSOR]][%c0]
// CHECK:           scf.while (%{{.+}} = %[[HERE]], %{{.+}} = %c1)
// CHECK:           %[[FIRST:.+]]:2 = scf.while
// CHECK:           memref.store %[[FIRST]]#0, %[[CURSOR]][%c0]
// CHECK:           scf.while (%{{.+}} = %[[FIRST]]#0, %{{.+}} = %c1)
// CHECK:           %[[LAST:.+]]:2 = scf.while
// CHECK:           %[[TO:.+]] = arith.addi %[[LAST]]#0, %c1
//
// nothing; then, for the fibers of each register, array[where they begin] = their coordinates.
// Lanes that have no fiber store behind the window. What the next windows read is prefetched.
// CHECK:           scf.for %{{.+}} = %[[PA]] to %[[STOP]] step %c4
// CHECK:             vector.store %{{.+}}, %[[KEYS]]
// CHECK-DAG:       %[[PAS:.+]] = vector.broadcast %{{.+}} : i64 to vector<4xi64>
// CHECK-DAG:       %[[STOPS:.+]] = vector.broadcast %{{.+}} : i64 to vector<4xi64>
// CHECK:           %[[LASTS:.+]] = arith.subi %[[STOPS]], %{{.+}} : vector<4xi64>
// CHECK:           scf.for %[[F:.+]] = %[[FIRST]]#0 to %[[TO]] step %c4
// CHECK:             %[[VALID:.+]] = vector.create_mask
// CHECK:             %[[AHEAD:.+]] = arith.addi %[[F]], %c512
// CHECK:             memref.prefetch %{{.+}}[%[[AHEAD]]]
// CHECK:             memref.prefetch %{{.+}}[%[[AHEAD]]]
// CHECK:             vector.maskedload %{{.+}}[%[[F]]], %[[VALID]]
// CHECK:             vector.maskedload %{{.+}}[%[[F]]], %[[VALID]]
// CHECK:             %[[BEGIN:.+]] = arith.maxui %{{.+}}, %[[PAS]]
// CHECK:             %[[SAFE:.+]] = arith.minui %[[BEGIN]], %[[LASTS]]
// CHECK-NEXT:        %[[PLACE:.+]] = arith.select %[[VALID]], %[[SAFE]], %[[STOPS]]
// CHECK:             %[[AT:.+]] = arith.subi %[[PLACE]], %[[PAS]]
// CHECK:             vector.scatter %[[KEYS]][%c0] [%[[AT]]], %{{.+}}, %{{.+}}
//
// the largest up to there, and the last coordinate
// CHECK:           scf.for %[[P:.+]] = %[[PA]] to %[[STOP]] step %c4 iter_args(%[[BEFORE:.+]] = %{{.+}}) -> (vector<4xi64>)
// CHECK:             %[[HIGH:.+]] = vector.load %[[KEYS]]
// CHECK-NEXT:        %[[BY_ONE:.+]] = vector.shuffle %{{.+}}, %[[HIGH]] [0, 4, 5, 6]
// CHECK-NEXT:        %[[TWO:.+]] = arith.maxui %[[HIGH]], %[[BY_ONE]]
// CHECK-NEXT:        %[[BY_TWO:.+]] = vector.shuffle %{{.+}}, %[[TWO]] [0, 1, 4, 5]
// CHECK-NEXT:        %[[FOUR:.+]] = arith.maxui %[[TWO]], %[[BY_TWO]]
// CHECK-NEXT:        %[[ALL:.+]] = arith.maxui %[[FOUR]], %[[BEFORE]]
// CHECK-NEXT:        %[[NEXT:.+]] = vector.shuffle %[[ALL]], %[[ALL]] [3, 3, 3, 3]
// CHECK:             %[[AHEAD:.+]] = arith.addi %[[P]], %c512
// CHECK:             memref.prefetch %{{.+}}[%[[AHEAD]]]
// CHECK:             vector.maskedload %{{.+}}[%[[P]]]
// CHECK:             arith.ori %[[ALL]]
// CHECK:             vector.store %{{.+}}, %[[KEYS]]
// CHECK:             scf.yield %[[NEXT]]
// CHECK:         return
func.func @trees(%A: tensor<?x?xf64, #DCSR>, %B: tensor<?x?xf64, #DCSR>) -> index {
  %A_flat = nacho.flatten %A : tensor<?x?xf64, #DCSR>
  %B_flat = nacho.flatten %B : tensor<?x?xf64, #DCSR>
  %A0 = nacho.root %A_flat : tensor<?xf64, #Flat>
  %B0 = nacho.root %B_flat : tensor<?xf64, #Flat>
  %n = nacho.count of (%A0 : !F0, %B0 : !F0) in intersect(%A0, %B0)
  return %n : index
}

// One list has nothing to be compared with.
//
// CHECK-LABEL: func.func @negative_one(
// CHECK-NOT:     memref.alloca
// CHECK:         return
func.func @negative_one(%A: tensor<?x?xf64, #COO>, %out: memref<?xf64>) {
  %A_flat = nacho.flatten %A : tensor<?x?xf64, #COO>
  %A0 = nacho.root %A_flat : tensor<?xf64, #Flat>
  nacho.coiterate %key of (%A1 = %A0 : !F0) in %A1 {
    %a = nacho.load %A1 : !F1
    memref.store %a, %out[%key] : memref<?xf64>
  }
  return
}

// The windows are those of a thread, whatever the number of workers is.
//
// CPU-LABEL: func.func private @workers_worker(
// CPU:         memref.alloca() : memref<516xi64>
// CPU-NEXT:    memref.alloca() : memref<516xi64>
// CPU:         scf.while
// CPU-NOT:     memref.alloca
// CPU:         return
// CPU-LABEL: func.func @workers(
func.func @workers(%A: tensor<?x?xf64, #COO>, %B: tensor<?x?xf64, #COO>, %parts: index,
                   %out: memref<?xindex>) {
  %A_flat = nacho.flatten %A : tensor<?x?xf64, #COO>
  %B_flat = nacho.flatten %B : tensor<?x?xf64, #COO>
  %A0 = nacho.root %A_flat : tensor<?xf64, #Flat>
  %B0 = nacho.root %B_flat : tensor<?xf64, #Flat>
  nacho.parallel %p in %parts threads %parts {
    %n = nacho.count of (%A0 : !F0, %B0 : !F0) in intersect(%A0, %B0)
    memref.store %n, %out[%p] : memref<?xindex>
  }
  return
}
