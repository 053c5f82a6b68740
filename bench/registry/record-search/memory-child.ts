import { type InputName, productsOf } from './input.ts'
import { indexOf } from './ours.ts'

// Says how much more memory there is in use with an index than without, in megabytes of 1e6 bytes.

function inUse(): number {
  if (!globalThis.gc) throw new Error('needs --expose-gc')
  // Twice, since buffers are given back by the one after.
  for (let i = 0; i < 2; i++) globalThis.gc()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return (heapUsed + arrayBuffers) / 1e6
}

const products = productsOf(process.argv[2] as InputName)
const before = inUse()
const index = indexOf(products)
console.log(inUse() - before)
if (index.size !== products.length) throw new Error('products are missing')
