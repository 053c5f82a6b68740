import { depth } from '../depth.ts'
import { testPostedCases } from './support/fuzz-cases.ts'

testPostedCases({ seed: 38, runs: depth(10_000, 10_000, 35_000) })
