import { expect, test } from 'vitest'
import { printElement, printFloat } from './print-number.ts'

// From samtools 1.16.1, of a number N as a field and as an array of one:
// printf 'r\t0\tc\t1\t0\t1M\t*\t0\t0\tA\t*\tXF:f:%s\tXA:B:f,%s\n' N N |
//   samtools view -t <(printf 'c\t9\n') -u | samtools view | cut -f12,13
test.each([
  [0, '0', '0'],
  [-0, '-0', '-0'],
  [0.5, '0.5', '0.5'],
  [-3, '-3', '-3'],
  [0.00012345678, '0.000123457', '0.000123457'],
  [283614.5, '283614', '283615'],
  [1_234_567, '1.23457e+06', '1.23457e+06'],
  [8_615_905, '8.6159e+06', '8.6159e+06'],
  [6_415_965, '6.41596e+06', '6.41596e+06'],
  [999_999, '999999', '999999'],
  [1e6, '1e+06', '1e+06'],
  [0.1, '0.1', '0.1'],
  [9.9999999e-5, '0.0001', '0.0001'],
  [1.5e-5, '1.5e-05', '1.5e-05'],
  [1e-40, '9.99995e-41', '9.99995e-41'],
  [Number.POSITIVE_INFINITY, 'inf', 'inf'],
  [Number.NEGATIVE_INFINITY, '-inf', '-inf'],
  [Number.NaN, 'nan', 'nan'],
])('%d is printed as %s, in an array as %s', (value, alone, element) => {
  expect(printFloat(Math.fround(value))).toBe(alone)
  expect(printElement(Math.fround(value))).toBe(element)
})
