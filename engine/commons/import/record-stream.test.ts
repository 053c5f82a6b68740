import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { PartSorter } from './part-sorter.ts'
import { mergedRecords } from './record-stream.ts'
import { RANKS, type Rank } from './split-record.ts'
import type { WrittenPart } from './staged-entries.ts'
import { Staging } from './staging.ts'
import { TextBytes } from './text-bytes.ts'

const idOf = (n: number) => `00000000-0000-5000-8000-${String(n).padStart(12, '0')}`

const part = (n: number, members: object, rank: Rank = RANKS.embedded): WrittenPart => ({
  ...{ dataset: 'ssms', id: idOf(n), isMade: true, rank, isDescribed: true },
  ...{ text: JSON.stringify({ ssm_id: idOf(n), ...members }), ending: '' },
})

/** Parts in the order in which they are staged. */
const PARTS = [
  ...[part(3, { chromosome: 'chr1' }), part(1, { chromosome: 'chr2' }), part(1, { start: 1 })],
  // If this part were merged a second time, it would override the part before it.
  ...[part(1, { chromosome: 'chr3' }), part(1, { chromosome: 'chr2' })],
  ...[part(2, { chromosome: 'chr4' }), part(2, { chromosome: 'chr4' })],
  ...[part(4, { end: 5 }, RANKS.described), part(4, { end: 6 })],
]

/** Merges the parts. Those that `isSorted` selects are staged by other threads. */
async function merged(isSorted: (i: number) => boolean, unsorts = false) {
  const folder = await mkdtemp(join(tmpdir(), 'casemill-records-'))
  const staging = await Staging.open(folder, 1)
  try {
    for (const [i, part] of PARTS.entries()) {
      const sorter = new PartSorter(new TextBytes(0))
      if (isSorted(i)) sorter.add(part)
      else staging.putWritten(part)
      staging.putSorted(sorter.sorted)
    }
    staging.seal()
    expect(await staging.parts()).toBeLessThanOrEqual(PARTS.length)
    if (unsorts) await staging.unsort('ssms')
    const found: object[] = []
    const conflicts = new Map<string, number>()
    for await (const records of mergedRecords(staging, { dataset: 'ssms', conflicts })) {
      for (const { id, document, alone, isDescribed } of records) {
        const text = alone?.bytes().toString()
        found.push({ id, document, isDescribed, text })
      }
    }
    return { found, conflicts: [...conflicts] }
  } finally {
    staging.close()
    await rm(folder, { recursive: true })
  }
}

test('records are the same, whichever of their parts are sorted in threads', async () => {
  const expected = await merged(() => false)
  expect(expected.found).toMatchObject([
    { id: idOf(1), document: { chromosome: 'chr3', start: 1 } },
    { id: idOf(2), document: { chromosome: 'chr4' } },
    { id: idOf(3), document: { chromosome: 'chr1' } },
    { id: idOf(4), document: { end: 5 } },
  ])
  expect(await merged(() => true)).toEqual(expected)
  expect(await merged((i) => i % 2 === 0)).toEqual(expected)
  expect(await merged((i) => i % 2 === 1)).toEqual(expected)
  expect(await merged((i) => i % 2 === 0, true)).toEqual(expected)
})
