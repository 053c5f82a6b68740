import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Engine, openEngine } from '../../../engine/index.ts'
import { inlineExecutor } from '../../../engine/shared/index.ts'
import { buildMadeRelease } from '../../../fixtures/release/build-made.ts'
import { DOCUMENTS } from '../../../fixtures/release/make-release.ts'
import { planRelease } from '../../../fixtures/release/plan.ts'
import { SCALES } from '../../../fixtures/release/scale.ts'
import type { App } from '../../../server/http/compose.ts'
import { available } from '../../available.ts'
import { runPython } from '../../peers/run-peer.ts'
import { appOf } from '../search/support/app.ts'

const SEED = 7
const PATH = '/analysis/copy_number_segments'
const plan = planRelease(SEED, SCALES.tiny)

let folder = ''
let engine: Engine
let app: App
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-segments-'))
  const made = { dataFolder: folder, scale: 'tiny', seed: SEED, executor: inlineExecutor } as const
  await buildMadeRelease(made)
  engine = await openEngine({ dataFolder: folder, executor: inlineExecutor })
  await engine.start()
  app = appOf(engine)
})
afterAll(async () => {
  await engine?.close()
  await rm(folder, { recursive: true })
})

interface Segments {
  readonly total: number
  readonly tested: number
  readonly unplaced: number
  readonly chromosomes: readonly {
    readonly chromosome: string
    readonly length: number
    readonly gains: readonly number[]
    readonly losses: readonly number[]
  }[]
  readonly cases: readonly {
    readonly case_id: string
    readonly changed_bases: number
    readonly segments: readonly object[]
  }[]
}

async function ask(body: object): Promise<Segments> {
  const headers = { 'Content-Type': 'application/json' }
  const answer = await app.request(PATH, { method: 'POST', headers, body: JSON.stringify(body) })
  expect(answer.status).toBe(200)
  return (await answer.json()) as Segments
}

type Json = Readonly<Record<string, unknown>>

/** Returns the segments of the documents: case, chromosome, start, end, and 1 for a gain or -1 for a loss. */
function rowsOfDocuments(): readonly (readonly [string, string, number, number, number])[] {
  const segments = new Map(
    [...DOCUMENTS.segment_cnvs(plan)].map((one): [unknown, Json] => [one.segment_cnv_id, one]),
  )
  return [...DOCUMENTS.segment_cnv_occurrences(plan)].map((one) => {
    const segment = segments.get((one.segment_cnv as Json).segment_cnv_id)
    const { chromosome, start_position: start, end_position: end, cnv_change } = segment ?? {}
    const id = String((one.case as Json).case_id)
    return [id, `${chromosome}`, Number(start), Number(end), cnv_change === 'Gain' ? 1 : -1]
  })
}

const PROGRAM = `
import json, sys
import numpy as np
rows, chromosomes, size = json.load(open(sys.argv[1]))
cases = sorted({row[0] for row in rows})
answer = []
for name, bins in chromosomes:
    for sign in (1, -1):
        seen = np.zeros((len(cases), bins), dtype=bool)
        for case, where, start, end, change in rows:
            if where == name and change == sign:
                seen[cases.index(case), (start - 1) // size:(end - 1) // size + 1] = True
        answer.append(seen.sum(axis=0).tolist())
bases = {}
for case in cases:
    total = 0
    for sign in (1, -1):
        for name, _ in chromosomes:
            own = [row for row in rows if row[0] == case and row[1] == name and row[4] == sign]
            total += len(set().union(*(range(row[2] // 1000, row[3] // 1000) for row in own)))
    bases[case] = total
json.dump([answer, bases], sys.stdout)
`

test.skipIf(!available.numpy)('counts are those of numpy over the documents', async () => {
  const size = 2_500_000
  const rows = rowsOfDocuments()
  const found = await ask({ bin_size: size, size: 200 })
  const shapes = found.chromosomes.map(({ chromosome, gains }) => [chromosome, gains.length])
  const given = join(folder, 'segments.json')
  await writeFile(given, JSON.stringify([rows, shapes, size]))
  const printed = await runPython(PROGRAM, [given])
  const [counts, bases] = JSON.parse(printed) as [number[][], Record<string, number>]
  expect(found.chromosomes.flatMap(({ gains, losses }) => [gains, losses])).toEqual(counts)
  expect(found.unplaced).toBe(0)
  const changed = found.cases.filter((one) => one.changed_bases > 0)
  expect(changed.map((one) => one.case_id).toSorted()).toEqual(Object.keys(bases).toSorted())
  // Python counts thousands of bases.
  for (const one of changed) {
    const own = bases[one.case_id] ?? 0
    expect(Math.abs(one.changed_bases / 1000 - own)).toBeLessThan(2 * one.segments.length)
  }
  expect(changed.flatMap((one) => one.segments)).toHaveLength(rows.length)
})

test('chromosomes have bins to their ends, and tested cases are those whose records say so', async () => {
  const found = await ask({})
  expect(found.chromosomes.map(({ chromosome }) => chromosome).slice(-3)).toEqual(['22', 'X', 'Y'])
  for (const { length, gains, losses } of found.chromosomes) {
    expect([gains.length, losses.length]).toEqual(Array(2).fill(Math.ceil(length / 1_000_000)))
  }
  const documents = [...DOCUMENTS.cases(plan)] as readonly Json[]
  const said = documents.filter((one) =>
    (one.available_variation_data as readonly string[] | undefined)?.includes('segment_cnv'),
  )
  expect([found.total, found.tested]).toEqual([documents.length, said.length])
  expect(found.cases).toEqual([])
  const [own] = said
  const filters = { op: '=', content: { field: 'case_id', value: own?.case_id } }
  const one = await ask({ filters, size: 5 })
  expect([one.total, one.tested, one.cases.map(({ case_id: id }) => id)]).toEqual([
    1,
    1,
    [own?.case_id],
  ])
})

test.each(['bin_size=99999', 'size=201', 'bin_size=x'])('%s is refused', async (query) => {
  expect((await app.request(`${PATH}?${query}`)).status).toBe(400)
})
