import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { findRecode, findVersion } from '../../engine/registry/recodes/answer.ts'
import { makeCauseOfDeath2008 } from '../../engine/registry/recodes/cause-of-death.ts'
import { CAUSES_2008 } from '../../engine/registry/recodes/data/causes-2008.ts'
import { CAUSES_2023 } from '../../engine/registry/recodes/data/causes-2023.ts'
import { makeO3ToO2 } from '../../engine/registry/recodes/o3-to-o2.ts'
import { RECODES } from '../../engine/registry/recodes/recodes.ts'
import { makeTumourSize } from '../../engine/registry/recodes/tumour-size.ts'
import { publicData } from '../../fixtures/public-data.ts'
import { available } from '../available.ts'
import { naiveO2 } from './support/naive-rules.ts'
import { readCsv } from './support/read-csv.ts'
import { tally, tell } from './support/staging-vectors.ts'

// Expected values that the original library publishes with its tables.

const read = (file: string) => readFileSync(publicData('data/recode', file))
const given = (members: Readonly<Record<string, string | undefined>>) =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== ''))

describe.skipIf(!available.shared)('published expectations of', () => {
  // `zcat tumor-size-over-time-expected.csv.gz | tail -n +2 | grep -c .`
  test('tumour sizes over time: all 12,825 agree', () => {
    const sizeOf = makeTumourSize()
    const file = gunzipSync(read('tumor-size-over-time-expected.csv.gz')).toString()
    const rows = readCsv(file).slice(1)
    const counted = tally(rows, (row) => {
      const [year, site, hist, behavior, eod, cs, summary, expected] = row
      const sizes = { eod_tumor_size: eod, cs_tumor_size: cs, tumor_size_summary: summary }
      const { tumor_size = '' } = sizeOf(given({ year, site, hist, behavior, ...sizes }))
      return tumor_size === expected || tumor_size
    })
    tell('recodes: tumour sizes', counted)
    expect(counted).toEqual({ rows: 12_825, agreed: 12_825 })
  })

  // `tail -n +2 cause-specific-expected.csv | grep -c .`
  test('causes of death: all 101 agree', () => {
    const causeOf = makeCauseOfDeath2008()
    const rows = readCsv(read('cause-specific-expected.csv').toString()).slice(1)
    const counted = tally(rows, (row) => {
      const [sequence, icd_revision, cause_of_death, site, hist, year_last_contact, , ...rest] = row
      const tumour = { sequence, icd_revision, cause_of_death, site, hist, year_last_contact }
      const { cause_specific, cause_other } = causeOf(given(tumour))
      return (
        (cause_specific === rest[0] && cause_other === rest[1]) || { cause_specific, cause_other }
      )
    })
    tell('recodes: causes of death', counted)
    expect(counted).toEqual({ rows: 101, agreed: 101 })
  })

  test.each([
    ['data_2008_post_bug_fix.txt', CAUSES_2008],
    ['data_2023.txt', CAUSES_2023],
  ])('the causes of every group are those of %s', (file, table) => {
    const published = read(file).toString().trimEnd().split('\n').slice(1)
    const wanted = published.map((line) => {
      const cells = line.split(';')
      // One row lacks the cell before its label.
      if (cells.length === 5) cells.splice(4, 0, '')
      const [icd = '', sequence = '', group = '', three = '', whole = ''] = cells
      const list = (cell: string) =>
        cell
          .split(',')
          .map((code) => code.trim())
          .join(' ')
      return [`${icd} ${sequence[0]} ${group}`, list(three), list(whole)].join('|')
    })
    const ours = table
      .trim()
      .replaceAll(/\n +/g, ' ')
      .split('\n')
      .flatMap((line) => {
        const [kind = '', groups = '', three = '', whole = ''] = line.split('|')
        const lists = [three.trim(), whole.trim()]
        return groups
          .trim()
          .split(' ')
          .map((group) => [`${kind.trim()} ${group}`, ...lists].join('|'))
      })
    expect(ours.toSorted()).toEqual(wanted.toSorted())
  })

  // By `tail -n +2 FILE | wc -l`.
  test.each([
    ['icd-10-cm', 1484],
    ['icd-10', 1300],
    ['icd-9-cm', 955],
  ])('every code of %s', (id, count) => {
    const recode = findVersion(findRecode(RECODES, id), undefined).make()
    const rows = readCsv(read(`icd/${id}-to-icd-o-3.csv`).toString()).slice(1)
    const told = rows.map(([code, , , , , , , sex]) => {
      const answer = recode({ code, ...(sex && { sex }) })
      const { site, hist, behavior, grade, laterality, reportable } = answer
      return [code, site, hist, behavior, grade, laterality, reportable, sex].map(
        (one) => one ?? '',
      )
    })
    expect(told).toEqual(rows)
    expect(rows).toHaveLength(count)
  })

  test('every morphology of ICD-O-3 by ICD-O-2', () => {
    const recode = makeO3ToO2()
    const naive = naiveO2()
    const sites = ['C000', 'C181', 'C340', 'C349', 'C350', 'C440', 'C449', 'C710', 'C719', 'C809']
    for (let hist = 8000; hist < 10_000; hist++) {
      for (const behavior of '012369') {
        for (const site of sites) {
          const input = { site, hist: String(hist), behavior }
          const told = recode(input)
          const wanted = naive(input)
          if (JSON.stringify(told) !== JSON.stringify(wanted)) expect({ input, told }).toBe(wanted)
        }
      }
    }
  })
})
