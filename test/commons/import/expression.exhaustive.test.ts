import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runProgram, startProgram } from '../../../bin/support/program.ts'
import { importExpression } from '../../../engine/commons/import/expression/import-expression.ts'
import {
  augmented,
  CODING,
  fileRecord,
  type GivenGene,
} from '../../../engine/commons/import/expression/support/given-files.ts'
import { readMatrixFile } from '../../../engine/commons/import/expression/support/matrix-file.ts'
import { importCommons } from '../../../engine/commons/import/import-commons.ts'
import { Releases } from '../../../engine/commons/release/releases.ts'
import { inlineExecutor } from '../../../engine/shared/executor.ts'
import { publicData } from '../../../fixtures/public-data.ts'
import { randomFrom } from '../../../fixtures/random.ts'
import { available } from '../../available.ts'
import { runPython } from '../../peers/run-peer.ts'

// The values in a release are compared one by one with those that Python reads from the same files.

const SHARED = publicData('data')

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-expression-'))
})
afterAll(() => rm(folder, { recursive: true }))

interface Told {
  readonly cases: readonly string[]
  readonly samples: readonly string[]
  readonly genes: readonly string[]
  readonly values: readonly (readonly number[])[]
}

async function currentMatrix(data: string) {
  const releases = new Releases(data)
  return readMatrixFile(join(releases.folder((await releases.current()) ?? ''), 'expression.arrow'))
}

async function expectSame(data: string, told: Told): Promise<void> {
  const { facts, genes, values } = await currentMatrix(data)
  expect(facts.cases.map(({ caseId }) => caseId)).toEqual(told.cases)
  expect(facts.cases.map(({ sample }) => sample)).toEqual(told.samples)
  expect(genes).toEqual(told.genes)
  expect(genes.map((gene) => values[gene])).toEqual(told.values)
}

/** A script that reads the published matrix, the genes and the cases; a sample's code names its case. */
const COAD = `
import csv, gzip, json, sys
import numpy as np
shared = sys.argv[1] + '/'
def rows(name):
    return list(csv.DictReader(gzip.open(shared + name, 'rt'), delimiter='\\t'))
coding = {row['gene_id'] for row in rows('genes/gencode.v36.genes.tsv.gz')
          if row['biotype'] == 'protein_coding' and 'PAR_Y' not in row['gene_id_version']}
ids = {row['id']: row['case_id'].lower() for row in rows('cases/tcga_cases_legacy.tsv.gz')}
path = shared + 'expression/tcga_coad_chr21.fpkm_uq.tsv.gz'
names = gzip.open(path, 'rt').readline().rstrip().split('\\t')
genes = np.loadtxt(path, dtype=str, delimiter='\\t', skiprows=1, usecols=0)
values = np.loadtxt(path, delimiter='\\t', skiprows=1, usecols=range(1, len(names)))
best = {}
for column, name in enumerate(names[1:]):
    code = int(name[13:15])
    if 10 <= code <= 20: continue
    key = (0 if code in (1, 3, 9) else 1, name, column)
    case = ids[name[:12]]
    if case not in best or key < best[case]: best[case] = key
cases = sorted(best)
order = [row for row in np.argsort(genes) if genes[row] in coding]
print(json.dumps({'cases': cases, 'samples': [best[case][1] for case in cases],
    'genes': [genes[row] for row in order],
    'values': [[values[row, best[case][2]] for case in cases] for row in order]}))
`

test.skipIf(!available.shared || !available.numpy)(
  'the published matrix is stored as numpy reads it, a tumour for each case',
  async () => {
    const data = join(folder, 'coad')
    const tables = ['cases/tcga_cases_legacy.tsv.gz', 'cases/tcga_samples_legacy.tsv.gz']
    const sources = [...tables, 'genes/gencode.v36.genes.tsv.gz'].map((name) => join(SHARED, name))
    await importCommons({ sources, dataFolder: data, executor: inlineExecutor })
    const path = join(SHARED, 'expression/tcga_coad_chr21.fpkm_uq.tsv.gz')
    const report = await importExpression({
      ...{ sources: [path], dataFolder: data, executor: inlineExecutor },
    })
    // The table has 752 rows, of which 224 code for a protein (expression/ORIGIN.md of the data). Its 12 digits
    // are more than ten-thousandths hold.
    expect(report).toMatchObject({ genes: 224, genesLeftOut: { notCoding: 528 }, kind: 'double' })
    expect(report).toMatchObject({ badRowCount: 0, samplesRead: 25 })
    await expectSame(data, JSON.parse(await runPython(COAD, [SHARED])) as Told)
  },
)

const SAMPLES = 24
const idOf = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
const caseOf = (number: number) => `11111111-0000-4000-8000-${String(number).padStart(12, '0')}`

/** Writes files of one sample each, in folders as download clients make them, with their records. */
async function giveSamples(name: string, genes: number): Promise<string> {
  const random = randomFrom(281)
  const from = join(folder, name)
  const types = ['Primary Tumor', 'Primary Tumor', 'Metastatic', 'Solid Tissue Normal']
  const records: object[] = []
  for (let sample = 0; sample < SAMPLES; sample++) {
    const fileId = idOf(sample)
    const rows = Array.from({ length: genes }, (_, gene): GivenGene => {
      const id = `ENSG${String(gene * 7 + 3).padStart(11, '0')}.${1 + (gene % 9)}`
      const type = gene % 3 === 0 ? 'lncRNA' : CODING
      const value = random.below(4) === 0 ? 0 : random.below(4_294_967_295)
      return [id, `G${gene}`, type, (value / 10_000).toFixed(4)]
    })
    // Every fifth file has other genes, in another order.
    const text = augmented(sample % 5 === 0 ? rows.slice(0, -2).toReversed() : rows)
    const fileName = `${fileId}.augmented_star_gene_counts.tsv${sample % 2 ? '.gz' : ''}`
    await mkdir(join(from, fileId), { recursive: true })
    await writeFile(join(from, fileId, fileName), sample % 2 ? gzipSync(text) : text)
    records.push(
      fileRecord({
        ...{ fileId, fileName, caseId: caseOf(sample % 9), sample: `S-${random.below(1e6)}` },
        type: types[random.below(types.length)] ?? '',
      }),
    )
  }
  await writeFile(join(folder, `${name}.json`), JSON.stringify(records))
  return from
}

/** A script that reads the same files with decimal arithmetic, and selects them by their records. */
const MADE = `
import decimal, gzip, json, os, sys
import numpy as np
folder, records = sys.argv[1:3]
rank = {'Primary Tumor': 0, 'Metastatic': 1}
best = {}
for record in json.load(open(records)):
    case = record['cases'][0]
    sample = case['samples'][0]
    if sample['sample_type'] not in rank: continue
    key = (rank[sample['sample_type']], sample['submitter_id'], record)
    if case['case_id'] not in best or key[:2] < best[case['case_id']][:2]: best[case['case_id']] = key
cases = sorted(best)
columns = []
for case in cases:
    record = best[case][2]
    path = os.path.join(folder, record['file_id'], record['file_name'])
    lines = (gzip.open if path.endswith('.gz') else open)(path, 'rt').read().splitlines()
    header = lines[1].split('\\t')
    column = {}
    for line in lines[2:]:
        row = dict(zip(header, line.split('\\t')))
        if row['gene_type'] == 'protein_coding':
            fixed = decimal.Decimal(row['fpkm_uq_unstranded']) * 10000
            assert fixed == int(fixed)
            column[row['gene_id'].split('.')[0]] = int(fixed)
    columns.append(column)
genes = sorted(set().union(*columns))
values = np.array([[column.get(gene, -1) for column in columns] for gene in genes])
print(json.dumps({'cases': cases, 'samples': [best[case][1] for case in cases], 'genes': genes,
    'values': [[None if fixed < 0 else fixed / 10000 for fixed in row] for row in values.tolist()]}))
`

const importArgs = (data: string, from: string, ...more: readonly string[]) => {
  return ['import', 'expression', from, '--data', data, ...more]
}

describe('files of one sample each', () => {
  test.skipIf(!available.numpy)(
    'are stored as Python reads them, through the threads of the program',
    async () => {
      const data = join(folder, 'made-data')
      const from = await giveSamples('made', 500)
      const records = join(folder, 'made.json')
      expect(await runProgram(['import', 'commons', records, '--data', data])).toMatchObject({
        status: 0,
      })
      const { out, err, status } = await runProgram(importArgs(data, from, '--json'))
      expect({ err, status }).toEqual({ err: '', status: 0 })
      expect(JSON.parse(out)).toMatchObject({ sampleFiles: SAMPLES, kind: 'fixed', badRowCount: 0 })
      await expectSame(data, JSON.parse(await runPython(MADE, [from, records])) as Told)
      expect(await runProgram(['check', '--data', data])).toMatchObject({ status: 0, out: '' })
      const again = await runProgram(importArgs(data, from))
      expect(again.out).toContain('expression: 333 genes of 9 cases\n')
      await expectSame(data, JSON.parse(await runPython(MADE, [from, records])) as Told)
    },
  )

  test('that are read when the import is killed leave the release that was there', async () => {
    const data = join(folder, 'killed-data')
    const from = await giveSamples('killed', 20_000)
    await runProgram(['import', 'commons', join(folder, 'killed.json'), '--data', data])
    const releases = new Releases(data)
    const before = await releases.current()
    const names = await releases.names()
    for (const file of ['incoming/commons/values.spool', 'releases']) {
      const child = startProgram(importArgs(data, from))
      const ended = once(child, 'exit')
      await untilSeen(join(data, file), () => child.exitCode !== null)
      child.kill('SIGKILL')
      await ended
      expect(await releases.current()).toBe(before)
      expect(await releases.names()).toEqual(names)
      expect(await runProgram(['check', '--data', data])).toMatchObject({ status: 0, out: '' })
    }
    expect(await runProgram(importArgs(data, from))).toMatchObject({ status: 0 })
    expect((await readdir(releases.path)).filter((name) => name.startsWith('.building'))).toEqual(
      [],
    )
    expect(await readdir(join(data, 'incoming'))).toEqual(['commons.lock'])
    expect((await currentMatrix(data)).facts.genes).toBeGreaterThan(13_000)
  })
})

/** Waits until a file has bytes, or a folder contains a release in progress. */
async function untilSeen(path: string, isOver: () => boolean): Promise<void> {
  for (;;) {
    const names = await readdir(path).catch(() => undefined)
    const isUnderWay = names?.some((name) => name.startsWith('.building-'))
    const { size } = await stat(path).catch(() => ({ size: 0 }))
    if (isUnderWay || (!names && size > 0) || isOver()) return
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}
