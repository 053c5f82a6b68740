import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { DATASET_NAMES, type DatasetName } from '../../../../engine/commons/datasets/define.ts'
import { importCommons } from '../../../../engine/commons/import/import-commons.ts'
import { buildRelease } from '../../../../engine/commons/release/build.ts'
import { Releases } from '../../../../engine/commons/release/releases.ts'
import type { Engine } from '../../../../engine/index.ts'
import { inlineExecutor } from '../../../../engine/shared/index.ts'
import { publicData } from '../../../../fixtures/public-data.ts'
import type { App } from '../../../../server/http/compose.ts'
import { available } from '../../../available.ts'
import { copyDemo } from '../../../demo/copy-demo.ts'
import { isExhaustive } from '../../../depth.ts'
import { madeOnce } from '../../../made-once.ts'
import { copyMadeRelease } from '../../../made-release.ts'
import { openEngine } from '../../../places.ts'
import { appOf } from '../../search/support/app.ts'
import type { OwnDocuments } from '../../search/whole-documents.ts'

/** The interface over a made release, called without a socket. */
export class MadePortal implements AsyncDisposable {
  readonly #folder: string
  #engine: Engine
  #app: App

  private constructor(engine: Engine, folder: string) {
    this.#engine = engine
    this.#folder = folder
    this.#app = appOf(engine)
  }

  get engine(): Engine {
    return this.#engine
  }

  get dataFolder(): string {
    return join(this.#folder, 'data')
  }

  /** Closes the engine and opens it again over the same folder. */
  async restart(): Promise<void> {
    await this.#engine.close()
    this.#engine = await openEngine({ dataFolder: this.dataFolder, executor: inlineExecutor })
    await this.#engine.start()
    this.#app = appOf(this.#engine)
  }

  /** Opens the interface over the tiny release. */
  static open(clock = () => new Date()): Promise<MadePortal> {
    return MadePortal.#over(copyMadeRelease, clock)
  }

  /** Opens the interface over imported public cases, files, genes and mutations. */
  static imported(): Promise<MadePortal> {
    return MadePortal.#over(copyImported, () => new Date())
  }

  /** Opens the interface over the demo. */
  static demo(): Promise<MadePortal> {
    return MadePortal.#over(copyDemo, () => new Date())
  }

  /** Opens the interface over a release of these documents. */
  static of(documents: OwnDocuments): Promise<MadePortal> {
    return MadePortal.#over(
      (dataFolder) => buildOf(documents, dataFolder),
      () => new Date(),
    )
  }

  static async #over(
    make: (dataFolder: string) => Promise<void>,
    clock: () => Date,
  ): Promise<MadePortal> {
    const folder = await mkdtemp(join(tmpdir(), 'casemill-portal-'))
    const dataFolder = join(folder, 'data')
    await make(dataFolder)
    const engine = await openEngine({ dataFolder, executor: inlineExecutor, clock })
    await engine.start()
    return new MadePortal(engine, folder)
  }

  /** Sends a request to a path below the root. */
  async request(path: string, init?: RequestInit): Promise<Response> {
    return this.#app.request(path, init)
  }

  /** Posts JSON and returns the status and JSON of the answer. */
  async posted(path: string, body: unknown) {
    const response = await this.request(path, jsonPost(body))
    return { status: response.status, body: JSON.parse(await response.text()) }
  }

  /** Posts JSON and returns the text of an answer that must succeed. */
  async text(path: string, body: unknown): Promise<string> {
    const response = await this.request(path, jsonPost(body))
    expect(response.status).toBe(200)
    return response.text()
  }

  /** Returns the data of a document that must succeed. */
  async ask(query: string, variables: object = {}, path = '/v0/graphql') {
    const { status, body } = await this.posted(path, { query, variables })
    expect([status, body.errors]).toEqual([200, undefined])
    return body.data
  }

  /** Returns the data of a search by REST. */
  async rest(path: string, body: object) {
    const answer = await this.posted(path, body)
    expect([answer.status, answer.body.message]).toEqual([200, undefined])
    return answer.body.data
  }

  /** Returns how many records a search by REST finds. */
  async total(path: string, body: object = {}): Promise<number> {
    return (await this.rest(path, { size: 0, ...body })).pagination.total
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#engine.close()
    await rm(this.#folder, { recursive: true, force: true })
  }
}

/** Cases of 28 projects, and files, genes and mutations of one of them. */
const IMPORTED = [
  ['cases', 'tcga_cases_legacy.tsv.gz'],
  ['cases', 'tcga_samples_legacy.tsv.gz'],
  ['files', 'manifests', 'GCv36.TCGA-CHOL.tsv.gz'],
  ['genes', 'gencode.v36.genes.tsv.gz'],
  ['mutations', 'tcga_chol.grch38.gdc_somatic.maf.gz'],
]

async function copyImported(dataFolder: string): Promise<void> {
  const sources = IMPORTED.map((path) => publicData('data', ...path))
  const made = await madeOnce('imported-release', (folder) =>
    importCommons({ sources, dataFolder: folder, executor: inlineExecutor }),
  )
  await cp(made, dataFolder, { recursive: true })
}

/**
 * The portals that the checks run on: name, whether its data are available, how to open it, and a primary site
 * whose cases have mutations. The second needs the public data; the demo has thousands of files, so only the
 * exhaustive run uses it.
 */
export const PORTALS = [
  ['the tiny release', true, () => MadePortal.open(), 'breast'],
  ['an imported cohort', available.shared, () => MadePortal.imported(), 'Bile Duct'],
  ['the demo', isExhaustive, () => MadePortal.demo(), 'breast'],
] as const

async function buildOf(documents: OwnDocuments, dataFolder: string): Promise<void> {
  const releases = new Releases(dataFolder)
  await mkdir(releases.path, { recursive: true })
  const sources: Partial<Record<DatasetName, string>> = {}
  for (const name of DATASET_NAMES) {
    const path = join(dataFolder, `${name}.ndjson`)
    const lines = documents[name].map((document) => `${JSON.stringify(document)}\n`)
    await writeFile(path, lines.join(''))
    sources[name] = path
  }
  const version = { major: 1, minor: 0, releaseDate: '2024-01-01' }
  const createdAt = '2024-01-01T00:00:00.000Z'
  const facts = { dataRelease: 'Data Release 1.0', version, createdAt, id: 'random' }
  await buildRelease({ folder: releases.path, sources, facts, executor: inlineExecutor })
  await releases.switchTo(facts.id)
}

const jsonPost = (body: unknown): RequestInit => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(body),
})

/** Returns a filter of the values that a field may have. */
export const within = (field: string, ...value: readonly unknown[]) => ({
  op: 'in',
  content: { field, value },
})

/** Returns a filter of conditions that all hold. */
export const all = (...content: readonly object[]) => ({ op: 'and', content })
