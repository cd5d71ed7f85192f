// RUN: nacho-opt %s -nacho-sum-in-lanes=narrow --mlir-use-nameloc-as-prefix | FileCheck %s

// Coordinates of 32 bits are compared with an extent, replaced by 0 where they are outside of
// it, and become indices one by one. An extent that 32 bits cannot hold is the largest number.
//
// CHECK-LABEL: func.func @safe(
// CHECK-DAG:     %[[MOST:.+]] = arith.constant 4294967295 : index
// CHECK-DAG:     %[[ZEROS:.+]] = arith.constant dense<0> : vector<8xi32>
// CHECK:         %[[CAPPED:.+]] = arith.minui %extent, %[[MOST]] : index
// CHECK-NEXT:    %[[NARROW:.+]] = arith.index_castui %[[CAPPED]] : index to i32
// CHECK-NEXT:    %[[EXTENTS:.+]] = vector.broadcast %[[NARROW]] : i32 to vector<8xi32>
// CHECK-NEXT:    %[[INSIDE:.+]] = arith.cmpi ult, %crd, %[[EXTENTS]] : vector<8xi32>
// CHECK-NEXT:    %[[SAFE:.+]] = arith.select %[[INSIDE]], %crd, %[[ZEROS]] : vector<8xi1>, vector<8xi32>
// CHECK-NEXT:    %[[LANE:.+]] = vector.extract %[[SAFE]][3] : i32 from vector<8xi32>
// CHECK-NEXT:    %[[PLACE:.+]] = arith.index_castui %[[LANE]] : i32 to index
// CHECK-NEXT:    return %[[PLACE]]
func.func @safe(%crd: vector<8xi32> loc("crd"), %extent: index loc("extent")) -> index {
  %zeros = arith.constant dense<0> : vector<8xindex>
  %j = arith.index_castui %crd : vector<8xi32> to vector<8xindex>
  %extents = vector.broadcast %extent : index to vector<8xindex>
  %inside = arith.cmpi ult, %j, %extents : vector<8xindex>
  %safe = arith.select %inside, %j, %zeros : vector<8xi1>, vector<8xindex>
  %place = vector.extract %safe[3] : index from vector<8xindex>
  return %place : index
}

// CHECK-LABEL: func.func @outside(
// CHECK:         arith.cmpi uge, %crd, %{{.+}} : vector<8xi32>
func.func @outside(%crd: vector<8xi32> loc("crd"), %extent: index) -> vector<8xi1> {
  %j = arith.index_castui %crd : vector<8xi32> to vector<8xindex>
  %extents = vector.broadcast %extent : index to vector<8xindex>
  %outside = arith.cmpi uge, %j, %extents : vector<8xindex>
  return %outside : vector<8xi1>
}

// Other comparisons, numbers with a sign, selections of anything but 0, and single indices
// stay as they are.
//
// CHECK-LABEL: func.func @negative(
// CHECK:         %[[J:.+]] = arith.index_castui
// CHECK:         %[[S:.+]] = arith.index_cast
// CHECK:         arith.cmpi slt, %[[J]], %{{.+}} : vector<8xindex>
// CHECK:         arith.cmpi ult, %[[S]], %{{.+}} : vector<8xindex>
// CHECK:         arith.select %{{.+}}, %[[J]], %{{.+}} : vector<8xi1>, vector<8xindex>
// CHECK:         arith.cmpi ult, %{{.+}}, %extent : index
func.func @negative(%crd: vector<8xi32>, %one: i32, %extent: index loc("extent"))
    -> (vector<8xi1>, vector<8xi1>, vector<8xindex>, i1) {
  %j = arith.index_castui %crd : vector<8xi32> to vector<8xindex>
  %s = arith.index_cast %crd : vector<8xi32> to vector<8xindex>
  %k = arith.index_castui %one : i32 to index
  %extents = vector.broadcast %extent : index to vector<8xindex>
  %less = arith.cmpi slt, %j, %extents : vector<8xindex>
  %inside = arith.cmpi ult, %s, %extents : vector<8xindex>
  %either = arith.select %less, %j, %extents : vector<8xi1>, vector<8xindex>
  %single = arith.cmpi ult, %k, %extent : index
  return %less, %inside, %either, %single : vector<8xi1>, vector<8xi1>, vector<8xindex>, i1
}

// Positions are clamped to a size as they are stored.
//
// CHECK-LABEL: func.func @minimum(
// CHECK:         %[[CAP:.+]] = arith.minui %size, %{{.+}} : index
// CHECK-NEXT:    %[[NARROW:.+]] = arith.index_castui %[[CAP]] : index to i32
// CHECK-NEXT:    %[[SIZES:.+]] = vector.broadcast %[[NARROW]] : i32 to vector<8xi32>
// CHECK-NEXT:    %[[LEAST:.+]] = arith.minui %stored, %[[SIZES]] : vector<8xi32>
// CHECK-NEXT:    %[[INDICES:.+]] = arith.index_castui %[[LEAST]] : vector<8xi32> to vector<8xindex>
// CHECK-NEXT:    return %[[INDICES]]
func.func @minimum(%stored: vector<8xi32> loc("stored"), %size: index loc("size")) -> vector<8xindex> {
  %positions = arith.index_castui %stored : vector<8xi32> to vector<8xindex>
  %sizes = vector.broadcast %size : index to vector<8xindex>
  %least = arith.minui %positions, %sizes : vector<8xindex>
  return %least : vector<8xindex>
}
