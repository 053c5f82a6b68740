import { expect, test } from 'vitest'
import { testsOf } from './molecular-tests.ts'

// Terms of the public dictionary: laboratory_test and mismatch_repair_mutation of a molecular test.
test('tests of microsatellites and of mismatch repair are told apart from others', () => {
  const [first, second, third] = [
    { laboratory_test: 'Microsatellite Instability', test_result: 'Positive' },
    { laboratory_test: 'HER2/neu', test_result: 'Negative' },
    { mismatch_repair_mutation: 'Yes' },
  ]
  const hit = {
    follow_ups: [{ molecular_tests: [first, second] }, {}, { molecular_tests: [third] }],
  }
  expect(testsOf(hit)).toEqual([first, third])
  expect(testsOf({})).toEqual([])
})
