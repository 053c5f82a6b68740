import { testPostedCases } from './support/fuzz-cases.ts'

testPostedCases({ seed: 38, runs: 35_000 })
