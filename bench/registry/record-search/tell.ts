import { COUNTS, type InputName, productsOf } from './input.ts'
import { questionsOf, WORKLOADS } from './questions.ts'
import { countByScan } from './scan.ts'

// Tells what pins.ts has.
for (const name of Object.keys(COUNTS) as InputName[]) {
  const products = productsOf(name)
  const counts = WORKLOADS.map((workload) => [
    workload,
    questionsOf(workload).map((question) => countByScan(products, question)),
  ])
  console.log(`  ${name}: ${JSON.stringify(Object.fromEntries(counts))},`)
}
