import { depth } from '../depth.ts'
import { testPostedCases } from './support/fuzz-cases.ts'

testPostedCases({ seed: 34, runs: depth(10_000, 10_000, 35_000) })
