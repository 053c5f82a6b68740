import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PartSorter } from './part-sorter.ts'
import { SortedRuns } from './sorted-runs.ts'
import { RANKS } from './split-record.ts'
import { Spool } from './spool.ts'
import type { WrittenPart } from './staged-entries.ts'
import { TextBytes } from './text-bytes.ts'

let folder: string
let spool: Spool

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-runs-'))
  spool = new Spool(join(folder, 'spool'))
})

afterAll(async () => {
  spool.close()
  await rm(folder, { recursive: true })
})

const IDS = Array.from({ length: 400 }, () => randomUUID())

/** Returns a part of one of the ids. Some texts are longer than one read of a run. */
function partOf(i: number): WrittenPart {
  const text = `{"n":${i},"t":"${'ä'.repeat(i % 97 === 0 ? 70_000 : i % 50)}"}`
  return {
    ...{
      dataset: i % 3 === 0 ? 'ssms' : 'ssm_occurrences',
      isMade: true,
      isDescribed: i % 2 === 0,
    },
    ...{
      id: IDS[(i * 7) % IDS.length] ?? '',
      rank: i % 5 === 0 ? RANKS.described : RANKS.embedded,
    },
    ...{ text, ending: [undefined, '', ',"ö":1}'][i % 4] },
  }
}

test('parts of several runs come by id, by rank, then as they were added', () => {
  const runs = new SortedRuns(spool)
  const buffer = new TextBytes(0)
  const parts = Array.from({ length: 2000 }, (_, i) => partOf(i))
  for (let from = 0; from < parts.length; from += 300) {
    buffer.clear()
    const sorter = new PartSorter(buffer)
    for (const part of parts.slice(from, from + 300)) sorter.add(part)
    runs.add(sorter.sorted)
  }
  expect(runs.count()).toBe(parts.length)
  for (const dataset of ['ssms', 'ssm_occurrences'] as const) {
    const wanted = parts
      .filter((part) => part.dataset === dataset)
      .toSorted((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : a.rank - b.rank))
      .map(({ id, rank, isDescribed, text, ending }) => {
        const whole = text + (ending ?? '')
        const length = Buffer.byteLength(text)
        const added = ending === undefined ? undefined : Buffer.byteLength(ending)
        return { id, rank, isDescribed, length, ending: added, whole }
      })
    const found = [...runs.parts(dataset)].map((part) => {
      const { id, rank, isDescribed, length, ending, place } = part
      const whole = part.bytes().toString()
      // The place is that of the text, also for callers that read the spool themselves.
      expect(spool.read({ offset: place, length })).toBe(part.bytes().toString('utf8', 0, length))
      return { id, rank, isDescribed, length, ending, whole }
    })
    expect(found).toEqual(wanted)
    expect(runs.count(dataset)).toBe(wanted.length)
    const taken = [...runs.takeAll(dataset)].map(({ id }) => id)
    expect(taken.toSorted()).toEqual(wanted.map(({ id }) => id))
    expect(runs.count(dataset)).toBe(0)
    expect([...runs.parts(dataset)]).toEqual([])
  }
})
