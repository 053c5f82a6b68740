import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { openEngine } from '../../engine/index.ts'
import { demoBytes } from '../../fixtures/demo-commons.ts'
import { DEMO_DOWNLOADS } from '../../fixtures/downloads.ts'
import { readConfig } from '../../server/config.ts'
import { startServer } from '../../server/main.ts'
import { ThreadPool } from '../../workers/pool.ts'
import { available } from '../available.ts'
import { keptLog } from '../commons/contract/fake-engine.ts'
import { copyDemo } from '../demo/copy-demo.ts'

// Runs the R package of Debian's r-bioc-tcgabiolinks (data-commons.md 8.3).

test.skipIf(!available.tcgabiolinks)(
  'TCGAbiolinks searches, downloads and prepares',
  { timeout: 600_000 },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'casemill-r-'))
    const executor = new ThreadPool({ threads: 2 })
    const dataFolder = join(folder, 'data')
    await copyDemo(dataFolder)
    const engine = await openEngine({ dataFolder, executor, makeBytes: demoBytes() })
    try {
      await engine.start()
      const config = readConfig({ flags: { port: 0, logLevel: 'warn', drainSeconds: 0 } })
      const { lines, log } = keptLog(config)
      const status = { commit: 'c', tag: '0.1.0' }
      const server = await startServer({ engine, config, status, log })
      try {
        const told = await runScript(server.address, join(folder, 'got'), folder)
        expect(told.slice(0, 2)).toEqual([
          ['status', 'OK'],
          ['projects', '35'],
        ])
        const [, cases, named] = told[2] ?? []
        expect(Number(cases)).toBeGreaterThan(10)
        expect(named).toBe(cases)
        const wanted = DEMO_DOWNLOADS.filter(
          ({ access, id }) => access === 'open' && !id.endsWith('06'),
        )
        const stored = await engine.shared.files.findAll(wanted.map(({ id }) => id))
        const files = [...stored.values()].map(({ id, md5 }) => ['file', id, md5, md5])
        expect(files).toHaveLength(7)
        const linesOf = (kind: string) =>
          told.filter(([word]) => word === kind).map((cells) => cells.slice(1))
        expect(linesOf('file').toSorted()).toEqual(files.map((cells) => cells.slice(1)).toSorted())

        // The package finds as many files as the search, each of a different sample.
        const [[kind, count = '', rows, samples] = []] = linesOf('star')
        expect([kind, rows, samples]).toEqual(['RangedSummarizedExperiment', '14', count])
        const released = await releasedExpression(server.address)
        const prepared = linesOf('fpkm-uq').map(([sample = '', value]) => {
          return [sample.split('-').slice(0, 3).join('-'), Number(value)] as const
        })
        expect(prepared).toHaveLength(Number(count))
        // The files with fixed ids belong to cases without expression in the release.
        const own = DEMO_DOWNLOADS.filter(({ access, dataType }) => {
          return access === 'open' && dataType === 'Gene Expression Quantification'
        })
        const known = prepared.filter(([name]) => released.has(name))
        expect(known).toHaveLength(prepared.length - own.length)
        for (const [name, value] of known) expect(value).toBeCloseTo(released.get(name)!, 4)

        const counts = await countsOf(server.address)
        const of = (type: string) => String(counts.get(type))
        const isoforms = of('Isoform Expression Quantification')
        expect(linesOf('table')).toEqual([
          // A table has three columns per sample and the name; or 24 columns per sample; or the samples alone.
          [
            ...['miRNA Expression Quantification', of('miRNA Expression Quantification'), '12'],
            String(1 + 3 * Number(of('miRNA Expression Quantification'))),
          ],
          [
            ...['Isoform Expression Quantification', isoforms],
            ...[String(24 * Number(isoforms)), '7'],
          ],
          [
            ...['Methylation Beta Value', of('Methylation Beta Value'), '18'],
            of('Methylation Beta Value'),
          ],
          [
            ...['Protein Expression Quantification', of('Protein Expression Quantification')],
            ...['14', String(5 + Number(of('Protein Expression Quantification')))],
          ],
        ])
        const segments = ['Copy Number Segment', 'Masked Copy Number Segment']
        expect(linesOf('segments')).toEqual(segments.map((type) => [type, of(type), of(type), '7']))
        const copies = of('Gene Level Copy Number')
        expect(linesOf('copies')).toEqual([[copies, '14', String(5 + 3 * Number(copies))]])
        const [[mafs, mutations, mutated] = []] = linesOf('mutations')
        expect(mafs).toBe(of('Masked Somatic Mutation'))
        expect(Number(mutations)).toBeGreaterThan(Number(mutated))
        expect(linesOf('patients')).toEqual([
          [of('Clinical Supplement'), of('Clinical Supplement')],
        ])
        expect(linesOf('stages')).toEqual([[of('Clinical Supplement')]])
        const [[supplements, specimens] = []] = linesOf('samples')
        expect(supplements).toBe(of('Biospecimen Supplement'))
        expect(Number(specimens)).toBeGreaterThan(Number(supplements))
        expect(Number(linesOf('aliquots')[0]?.[0])).toBeGreaterThan(Number(specimens))
        expect(lines).toEqual([])
      } finally {
        await server.close()
      }
    } finally {
      await engine.close()
      await executor.close()
      await rm(folder, { recursive: true, force: true })
    }
  },
)

const OF_PROJECT = { op: '=', content: { field: 'cases.project.project_id', value: 'DEMO-OPEN' } }

/** The number of open files of each type in the project. */
async function countsOf(address: string): Promise<ReadonlyMap<string, number>> {
  const content = [OF_PROJECT, { op: '=', content: { field: 'access', value: 'open' } }]
  const filters = encodeURIComponent(JSON.stringify({ op: 'and', content }))
  const answer = await fetch(`${address}/files?size=0&facets=data_type&filters=${filters}`)
  const { data } = (await answer.json()) as {
    readonly data: {
      readonly aggregations: {
        readonly data_type: {
          readonly buckets: readonly { readonly key: string; readonly doc_count: number }[]
        }
      }
    }
  }
  return new Map(data.aggregations.data_type.buckets.map(({ key, doc_count: n }) => [key, n]))
}

/** The interface's values for TP53, by case. */
async function releasedExpression(address: string): Promise<ReadonlyMap<string, number>> {
  const filters = encodeURIComponent(JSON.stringify(OF_PROJECT))
  const found = await fetch(`${address}/cases?size=1000&fields=submitter_id&filters=${filters}`)
  const { data } = (await found.json()) as {
    readonly data: {
      readonly hits: readonly { readonly id: string; readonly submitter_id: string }[]
    }
  }
  const names = new Map(data.hits.map(({ id, submitter_id: name }) => [id, name]))
  const answer = await fetch(`${address}/gene_expression/values`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({
      case_ids: [...names.keys()],
      gene_ids: ['ENSG00000141510'],
      tsv_units: 'uqfpkm',
    }),
  })
  const [header = [], values = []] = (await answer.text())
    .split('\n')
    .map((line) => line.split('\t'))
  return new Map(header.slice(1).map((id, i) => [names.get(id) ?? '', Number(values[i + 1])]))
}

/** Returns the script's output lines, split into cells. */
async function runScript(address: string, into: string, cwd: string): Promise<string[][]> {
  await mkdir(into)
  const script = join(import.meta.dirname, 'tcgabiolinks.R')
  // The package unpacks archives in its working directory.
  const { stdout } = await promisify(execFile)('Rscript', [script, address, into], { cwd })
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'))
}
