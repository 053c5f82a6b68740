import { expect, test } from 'vitest'
import {
  type ChosenBy,
  DEFAULT_ALGORITHM_TABLE,
  fits,
  parseAlgorithmTable,
} from './algorithm-table.ts'

const HEADER = 'algorithm\tversion\tyears\tages\tsites\texcept_schemas'
const ruleOf = (row: string) => {
  const [rule] = parseAlgorithmTable(`${HEADER}\n${row}\n`)
  if (!rule) throw new Error('there is no rule')
  return rule
}

// From the README of staging-client-java: Collaborative Stage from 2004 to 2015, TNM in 2016 and 2017, EOD from 2018.
test.each([
  ['2003', []],
  ['2004', ['cs']],
  ['2015', ['cs']],
  ['2016', ['tnm']],
  ['2017', ['tnm']],
  ['2018', ['eod_public', 'pediatric']],
  ['2026', ['eod_public', 'pediatric']],
  ['9999', []],
  ['', []],
  ['20', []],
])('of %s the published table has %j', (year, algorithms) => {
  const tumor = { dateOfDiagnosis: year }
  const rules = parseAlgorithmTable(DEFAULT_ALGORITHM_TABLE).filter((rule) => fits(rule, tumor))
  expect(rules.map(({ algorithm }) => algorithm)).toEqual(algorithms)
})

const TUMOR: ChosenBy = { dateOfDiagnosis: '2010', ageAtDiagnosis: '019', primarySite: 'C509' }

test.each([
  ['a\t\t2010', {}, true],
  ['a\t\t-2009', {}, false],
  ['a\t\t2010-2010', { dateOfDiagnosis: '20101231' }, true],
  ['a\t\t2011-', {}, false],
  ['a\t\t\t0-19', {}, true],
  ['a\t\t\t0-18', {}, false],
  ['a\t\t\t20-', { ageAtDiagnosis: '999' }, false],
  ['a\t\t\t0-19', { ageAtDiagnosis: '' }, false],
  ['a\t\t\t\tC500-C509', {}, true],
  ['a\t\t\t\tC400, C500-C508', {}, false],
  ['a\t\t\t\tC509', { primarySite: 'C50' }, false],
  ['a', { dateOfDiagnosis: '', ageAtDiagnosis: '', primarySite: '' }, true],
])('the row %j is for the tumor %j: %s', (row, more, isFor) => {
  expect(fits(ruleOf(row), { ...TUMOR, ...more })).toBe(isFor)
})

test.each([
  ['a\tlatest\t2004 to 2015', /^line 2: years are 2004 to 2015; give a range/],
  ['a\tlatest\t2015-2004', /^line 2: years are/],
  ['a\tlatest\t-', /^line 2: years are/],
  ['a\tlatest\t\t0-1000', /^line 2: ages are/],
  ['a\tlatest\t\t\tC50', /^line 2: sites are C50; give codes/],
  ['a\tlatest\t\t\tC809-C000', /^line 2: sites are/],
  ['a b', /^line 2: algorithm is a b/],
  ['a\t\t\t\t\t\tb', /^line 2: it has 7 cells/],
  ['', /^line 2: the table has no rows/],
])('the row %j is refused with its line', (row, message) => {
  expect(() => ruleOf(row)).toThrow(message)
})

test('a table without its header is refused', () => {
  expect(() => parseAlgorithmTable('cs\tlatest\n')).toThrow(
    /^line 1: the columns are cs, latest; give/,
  )
})
