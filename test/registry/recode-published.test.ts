import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { makeCauseOfDeath } from '../../engine/registry/recodes/cause-of-death.ts'
import { CAUSES_2008 } from '../../engine/registry/recodes/data/causes-2008.ts'
import { makeTumourSize } from '../../engine/registry/recodes/tumour-size.ts'
import { publicData } from '../../fixtures/public-data.ts'
import { available } from '../available.ts'
import { readCsv } from './support/read-csv.ts'
import { tally, tell } from './support/staging-vectors.ts'

// Expected values that the original library publishes beside its tables.

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
    const causeOf = makeCauseOfDeath()
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

  test('the causes of every group are those of the published file', () => {
    const published = read('data_2008_post_bug_fix.txt').toString().trimEnd().split('\n').slice(1)
    const wanted = published.map((line) => {
      const [icd = '', sequence = '', group = '', three = '', whole = ''] = line.split(';')
      const list = (cell: string) =>
        cell
          .split(',')
          .map((code) => code.trim())
          .join(' ')
      return [`${icd} ${sequence[0]} ${group}`, list(three), list(whole)].join('|')
    })
    const ours = CAUSES_2008.trim()
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
})
