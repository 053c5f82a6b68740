import { expect, test } from 'vitest'
import { fiveDecimals } from './exact-decimals.ts'

// The expected texts come from python3 -c "print('%.5f' % 0.015625)" and similar.
test.each([
  [0, '0.00000'],
  [-0, '-0.00000'],
  [0.015625, '0.01562'],
  [0.046875, '0.04688'],
  [-0.015625, '-0.01562'],
  [-0.000001, '-0.00000'],
  [-0.0000051, '-0.00001'],
  [0.000005, '0.00001'],
  [1.000005, '1.00001'],
  [9.999995, '10.00000'],
  [123456789.123456, '123456789.12346'],
  [1e22, '10000000000000000000000.00000'],
  [5e-324, '0.00000'],
])('%d is printed as C prints it', (value, text) => {
  expect(fiveDecimals(value)).toBe(text)
})
