import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { isCodingChange, longChange, shortChange } from '../../../engine/commons/import/hgvs.ts'
import { available } from '../../available.ts'
import { SHARED } from './support/shared-data.ts'

// The public tables have each protein change in both forms, as VEP and vcf2maf wrote them.

/** The columns of a table, by name, row by row. */
function* rowsOf(name: string): Generator<(column: string) => string> {
  const bytes = readFileSync(join(SHARED, 'mutations', name))
  const lines = gunzipSync(bytes).toString().split('\n')
  const [header = '', ...rows] = lines.filter((line) => line !== '' && !line.startsWith('#'))
  const places = new Map(header.split('\t').map((column, place) => [column, place]))
  for (const row of rows) {
    const cells = row.split('\t')
    yield (column) => cells[places.get(column) ?? -1] ?? ''
  }
}

test.skipIf(!available.shared)(
  'the short form of each public change is that of the long one',
  () => {
    let pairs = 0
    for (const cell of rowsOf('tcga_chol.grch38.gdc_somatic.maf.gz')) {
      const [long, short] = [cell('HGVSp'), cell('HGVSp_Short')]
      // A change at a splice site has no long form, and `p.=` does not say where nothing changes.
      if (long === '' || long === 'p.=') continue
      pairs++
      expect([shortChange(long), longChange(short)]).toEqual([short, long])
    }
    // zcat FILE | grep -v '^#' | cut -f36 | grep -c '^p\\.[A-Z]'
    expect(pairs).toBe(1926)
  },
)

test.skipIf(!available.shared).each([
  ['tcga_hnsc.grch37.mc3.maf.gz', ['p.Sec60* p.U60*']],
  ['tcga_kirc.grch37.mc3.maf.gz', []],
  ['tcga_laml.grch37.mc3.maf.gz', []],
])('other changes of %s stay as they are', (name, expected) => {
  const changed: string[] = []
  for (const cell of rowsOf(name)) {
    const [short, coding] = [cell('HGVSp_Short'), cell('HGVSc')]
    if (short !== '.' && short !== 'p.%3D' && shortChange(short) !== short) {
      changed.push(`${short} ${shortChange(short)}`)
    }
    if (coding !== '.' && !isCodingChange(coding)) changed.push(coding)
  }
  expect(changed).toEqual(expected)
})
