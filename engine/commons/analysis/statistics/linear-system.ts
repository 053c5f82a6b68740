/** Pivots below this fraction of the largest diagonal element count as zero. */
const LEAST_PIVOT = 1e-10

/**
 * Returns the inverse of a symmetric positive definite matrix by Gauss-Jordan elimination. Returns undefined if
 * the matrix is singular within rounding.
 * @param matrix rows concatenated, `size` × `size`
 */
export function inverseOf(matrix: Float64Array, size: number): Float64Array | undefined {
  const work = matrix.slice()
  const inverse = new Float64Array(size * size)
  let largest = 0
  for (let i = 0; i < size; i++) {
    inverse[i * size + i] = 1
    largest = Math.max(largest, work[i * size + i]!)
  }
  for (let pivot = 0; pivot < size; pivot++) {
    const value = work[pivot * size + pivot]!
    if (!(value > largest * LEAST_PIVOT)) return undefined
    for (let j = 0; j < size; j++) {
      work[pivot * size + j]! /= value
      inverse[pivot * size + j]! /= value
    }
    for (let i = 0; i < size; i++) {
      const factor = work[i * size + pivot]!
      if (i === pivot || factor === 0) continue
      for (let j = 0; j < size; j++) {
        work[i * size + j]! -= factor * work[pivot * size + j]!
        inverse[i * size + j]! -= factor * inverse[pivot * size + j]!
      }
    }
  }
  return inverse
}

/** Returns the product of a square matrix, rows concatenated, and a vector. */
export function timesVector(matrix: Float64Array, vector: Float64Array): Float64Array {
  const size = vector.length
  const product = new Float64Array(size)
  for (let i = 0; i < size; i++) {
    for (let j = 0; j < size; j++) product[i]! += matrix[i * size + j]! * vector[j]!
  }
  return product
}
