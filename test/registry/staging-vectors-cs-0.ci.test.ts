import { testCsQuarter } from './support/cs-quarter.ts'

testCsQuarter(0)
