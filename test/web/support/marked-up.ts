import { execFile } from 'node:child_process'
import { hash } from 'node:crypto'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { File, ready } from 'h5wasm/node'
import { buildRelease } from '../../../engine/commons/release/build.ts'
import { EXPRESSION_NAME } from '../../../engine/commons/release/layout.ts'
import { Releases } from '../../../engine/commons/release/releases.ts'
import { type Engine, openEngine } from '../../../engine/index.ts'
import { inlineExecutor } from '../../../engine/shared/index.ts'
import { codingGenes, makeExpression } from '../../../fixtures/expression.ts'
import { GENES } from '../../../fixtures/genes.ts'
import { madeZip } from '../../../fixtures/made-zip.ts'
import { DEMO_DRUGS } from '../../../fixtures/publishing/drugs.ts'
import { DEMO_TERMS } from '../../../fixtures/publishing/terms.ts'
import type { GivenFile } from '../../../fixtures/release/file-plan.ts'
import { geneIdOf } from '../../../fixtures/release/gene-plan.ts'
import { makeRelease, planOf } from '../../../fixtures/release/make-release.ts'
import { DEMO_CONTENT } from '../../../fixtures/staging/algorithm.ts'
import { DEMO_TRIAL } from '../../../fixtures/submission/trial.ts'
import { json } from '../../submission/publish/support/documents.ts'
import { AS_ADMIN } from '../../submission/support/service.ts'

// The demo with markup in every text that is stored and shown.

/** Markup that would run a script in every possible way if it were interpreted. */
export const MARKUP = `<img src=x onerror=window.ran=1>"'><svg onload=window.ran=2><script>window.ran=3</script><a href=javascript:window.ran=4>go</a>`
/** The same without characters that the name of a read cannot contain. */
export const MARKUP_NAME = '<img/src=x/onerror=window.ran=5>"><svg/onload=window.ran=6>'
/** Selects the elements that the markup would create. */
export const MADE_BY_MARKUP = 'img[src=x], svg[onload], a[href^="javascript:"]'

export const MARKED_ALGORITHM = 'marked'
export const MARKED_READS = {
  id: '0c2a4a8e-53a5-5d35-9c3f-6f0f6c6b4d01',
  place: 'chr17:7670001-7670200',
}
export const MARKED_CELLS = '0c2a4a8e-53a5-5d35-9c3f-6f0f6c6b4d02'
const RELEASE = 'marked-up'

export interface MarkedUp {
  /** The id of a rejected submission's transaction. */
  readonly transaction: number
  /** The id of a gene with values in the cells. */
  readonly geneId: string
}

/** Adds markup to the demo of a data folder without a server. */
export async function markUp(dataFolder: string): Promise<MarkedUp> {
  const making = join(dataFolder, 'making-marked')
  await mkdir(making)
  const engine = await openEngine({ dataFolder, executor: inlineExecutor })
  try {
    await engine.start()
    const geneId = await markCommons(engine, making)
    await markRegistry(engine, making)
    return { transaction: await markSubmission(engine), geneId }
  } finally {
    await engine.close()
    await rm(making, { recursive: true })
  }
}

/** Texts by which records are found, distinguished or checked. */
const IS_FACT =
  /^[0-9a-f-]{36}$|^\d{4}-\d\d-\d\d|^ENS[GTP]|^(open|controlled|released|BAM|HDF5|Dead|Alive)$/
const KEYS_OF_FACTS = /(^|_)(id|ids|md5sum|acl|state|access|chromosome|strand|biotype|type)$/
/** Members named like types that nevertheless contain free text. */
const KEYS_OF_TEXTS = /^(disease_type|sample_type|tissue_type|submitter_id|submitter_.*)$/

function marked(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) return value.map((one) => marked(one, key))
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, marked(one, name)]))
  }
  const isFact =
    typeof value !== 'string' ||
    IS_FACT.test(value) ||
    (KEYS_OF_FACTS.test(key) && !KEYS_OF_TEXTS.test(key))
  return isFact ? value : `${value} ${MARKUP}`
}

async function markCommons(engine: Engine, making: string): Promise<string> {
  const { dataFolder, executor, genes } = engine.shared
  const unmade = { sample: 'tumour', access: 'open', project: 'DEMO-OPEN' } as const
  const reads: GivenFile = {
    ...unmade,
    id: MARKED_READS.id,
    name: 'marked.bam',
    ...(await makeReads(join(making, 'marked.bam'))),
  }
  const options = { scale: 'tiny', seed: 7 } as const
  const ofAll = codingGenes(planOf(options))
  const ids = ofAll.map((row) => geneIdOf(planOf(options).genes, row))
  const cells: GivenFile = {
    ...unmade,
    id: MARKED_CELLS,
    name: 'marked.loom',
    dataType: 'Single Cell Analysis',
    ...(await makeCells(join(making, 'marked.loom'), ids)),
  }
  const given = [reads, cells]
  const plan = planOf({ ...options, given })
  const sources = await makeRelease({ folder: join(making, 'release'), ...options, plan })
  for (const path of Object.values(sources)) {
    const lines = (await readFile(path, 'utf8')).trimEnd().split('\n')
    const documents = lines.map((line) => JSON.stringify(marked(JSON.parse(line))))
    await writeFile(path, `${documents.join('\n')}\n`)
  }
  const expression = join(making, EXPRESSION_NAME)
  await makeExpression({ path: expression, plan })
  const releases = new Releases(dataFolder)
  await buildRelease({
    folder: releases.path,
    sources,
    executor,
    extras: { [EXPRESSION_NAME]: expression },
    facts: {
      id: RELEASE,
      dataRelease: `Data Release ${MARKUP}`,
      version: { major: 9, minor: 0, releaseDate: '2024-06-03' },
      createdAt: '2024-06-03T09:00:00.000Z',
    },
  })
  await releases.switchTo(RELEASE)
  const rows = given.map(({ id, name, md5, bytes }) => [id, name, md5, bytes].join('\t'))
  const manifest = join(making, 'manifest.txt')
  await writeFile(manifest, `id\tfilename\tmd5\tsize\n${rows.join('\n')}\n`)
  const { stored } = await engine.commons.importFiles({ manifest, from: making })
  if (stored !== given.length) throw new Error('the marked files were not stored')
  await genes.replaceAll(
    GENES.map((gene) => ({
      geneId: gene.gene_id,
      symbol: gene.symbol,
      name: `${gene.name} ${MARKUP}`,
      biotype: gene.biotype,
      chromosome: gene.gene_chromosome,
      start: gene.gene_start,
      end: gene.gene_end,
      strand: gene.gene_strand,
    })),
  )
  return ids[0] ?? ''
}

async function factsOf(path: string): Promise<Pick<GivenFile, 'bytes' | 'md5'>> {
  const bytes = await readFile(path)
  return { bytes: bytes.length, md5: hash('md5', bytes) }
}

/** Writes reads that all cover one place, so that a click hits one. */
async function makeReads(path: string) {
  const tags = [
    `RG:Z:g`,
    `CO:Z:${MARKUP}`,
    `XS:Z:${MARKUP}`,
    `SA:Z:${MARKUP_NAME},7670001,+,50M,60,0;`,
  ]
  const read = (_: unknown, i: number) =>
    [`${MARKUP_NAME}${i}`, 0, 'chr17', 7_670_001 + i, 60, '100M', '*', 0, 0]
      .concat('A'.repeat(100), 'I'.repeat(100), tags)
      .join('\t')
  const head = [
    '@HD\tVN:1.6\tSO:coordinate',
    '@SQ\tSN:chr17\tLN:83257441',
    `@RG\tID:g\tSM:${MARKUP}\tLB:${MARKUP}\tPU:${MARKUP}`,
    `@CO\t${MARKUP}`,
  ]
  const text = [...head, ...Array.from({ length: 60 }, read)].join('\n')
  await writeFile(`${path}.sam`, `${text}\n`)
  await promisify(execFile)('samtools', ['view', '-b', '-o', path, `${path}.sam`])
  await promisify(execFile)('samtools', ['index', path])
  return factsOf(path)
}

async function makeCells(path: string, genes: readonly string[]) {
  await ready
  const file = new File(path, 'w')
  const cells = 40
  // A cell's name has at most 256 bytes.
  const names = Array.from({ length: cells }, (_, i) => `${i}${MARKUP_NAME}`)
  const data = Float64Array.from({ length: genes.length * cells }, (_, i) => i % 7)
  file.create_dataset({ name: 'matrix', data, shape: [genes.length, cells] })
  for (const group of ['row_attrs', 'col_attrs']) file.create_group(group)
  file.create_dataset({ name: 'row_attrs/Accession', data: [...genes] })
  file.create_dataset({ name: 'row_attrs/Gene', data: genes.map(() => MARKUP) })
  file.create_dataset({ name: 'col_attrs/CellID', data: names })
  const groups = names.map((_, i) => `${i % 3} ${MARKUP}`)
  file.create_dataset({ name: 'col_attrs/Group', data: groups })
  file.close()
  return factsOf(path)
}

interface Named {
  readonly id: string
  readonly name: string
}

async function markRegistry({ registry, shared }: Engine, making: string): Promise<void> {
  const by = { user: 'marker', description: MARKUP }
  const named = ({ id, name }: Named) => ({
    id: `${id}-marked`,
    name: `carcinoma ${name} ${MARKUP}`,
  })
  const drugs = (DEMO_DRUGS as readonly Named[]).slice(0, 3).map((drug) => ({
    ...drug,
    ...named(drug),
    remarks: MARKUP,
  }))
  await registry.rx.load(drugs, by)
  const terms = (DEMO_TERMS as readonly Named[]).slice(0, 3).map((term) => ({
    ...term,
    ...named(term),
    definition: MARKUP,
    alternate_name: [MARKUP],
  }))
  await registry.glossary.load(terms, by)
  const texts = /^(name|title|subtitle|notes|footnotes|description|definition|label|unit)$/
  const texted = (value: unknown, key = ''): unknown => {
    if (Array.isArray(value)) return value.map((one) => texted(one, key))
    if (typeof value === 'object' && value !== null) {
      return Object.fromEntries(
        Object.entries(value).map(([name, one]) => [name, texted(one, name)]),
      )
    }
    if (key === 'algorithm') return MARKED_ALGORITHM
    return typeof value === 'string' && texts.test(key) ? `${value} ${MARKUP}` : value
  }
  const { schemas, tables } = DEMO_CONTENT
  const entries = Object.entries({ schemas, tables }).flatMap(([folder, entities]) =>
    [...entities].map(([id, entity]) => ({
      name: `${folder}/${id}.json`,
      content: JSON.stringify(texted(entity)),
    })),
  )
  const path = join(making, 'marked.zip')
  await writeFile(path, madeZip(entries))
  await registry.staging.import(path, { user: 'marker' })
  const { notifications } = shared
  await notifications.add({ level: 'INFO', components: ['API'], message: MARKUP })
}

async function markSubmission({ submission }: Engine): Promise<number> {
  const { program, code } = DEMO_TRIAL
  const { transactions } = submission
  const of = { ...AS_ADMIN, program, project: code, path: '' }
  const document = {
    type: 'case',
    submitter_id: MARKUP,
    projects: { code },
    disease_type: MARKUP,
    primary_site: MARKUP,
    [MARKUP]: MARKUP,
  }
  const { body } = await transactions.upload({ ...of, operation: 'create', ...json([document]) })
  const good = { ...document, disease_type: 'Gliomas', primary_site: 'Brain' }
  const { [MARKUP]: _, ...sound } = good
  await transactions.upload({ ...of, operation: 'create', ...json([sound as never]) })
  return (body as { readonly transaction_id: number }).transaction_id
}
