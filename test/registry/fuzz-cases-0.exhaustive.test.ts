import { testPostedCases } from './support/fuzz-cases.ts'

testPostedCases({ seed: 34, runs: 35_000 })
