import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EngineOptions } from '../../../engine/index.ts'
import { inlineExecutor } from '../../../engine/shared/executor.ts'
import { makeBam } from '../../../fixtures/bam/make-bam.ts'
import type { Config } from '../../../server/config.ts'
import type { RunningServer } from '../../../server/main.ts'
import { listenFor } from '../../commons/contract/support/listen.ts'
import { openEngine } from '../../places.ts'
import { md5 } from './tools.ts'

type OpenedEngine = Awaited<ReturnType<typeof openEngine>>

/** A service over HTTP with a BAM file of generated reads. */
export interface HtsWorld extends AsyncDisposable {
  readonly engine: OpenedEngine
  readonly server: RunningServer
  readonly folder: string
  /** The original file, with its index next to it. */
  readonly bamPath: string
  readonly bamId: string
  /** Stores a file of another format, like an import of a manifest. */
  store(id: string, name: string, bytes: Uint8Array): Promise<void>
  /** Creates a token for a project; returns headers, and a file for programs of htslib. */
  token(project?: string): Promise<Token>
}

export interface Token {
  readonly id: string
  readonly secret: string
  readonly headers: Readonly<Record<string, string>>
  readonly file: string
}

interface WorldOptions {
  readonly bam?: Partial<Parameters<typeof makeBam>[0]>
  readonly engine?: Partial<EngineOptions>
  readonly config?: Partial<Config>
  readonly access?: 'open' | 'controlled'
}

/** The project whose members may read the file. */
const PROJECT = 'ALPHA-1'

export async function openHtsWorld(options: WorldOptions = {}): Promise<HtsWorld> {
  const folder = await mkdtemp(join(tmpdir(), 'casemill-hts-'))
  const bamPath = join(folder, 'reads.bam')
  const made = {
    path: bamPath,
    seed: 26,
    scale: 1e6,
    style: 'htsjdk',
    emptyBlocks: true,
    ...options.bam,
  } as const
  await makeBam(made)
  const dataFolder = join(folder, 'data')
  const engine = await openEngine({ dataFolder, executor: inlineExecutor, ...options.engine })
  await engine.start()
  const rights = options.access === 'open' ? ({ access: 'open' } as const) : { project: PROJECT }
  const { file } = await engine.commons.importBam({ path: bamPath, ...rights })
  const server = await listenFor(engine, options.config)
  const { blobs, files, tokens } = engine.shared
  return {
    engine,
    server,
    folder,
    bamPath,
    bamId: file.id,
    async store(id, name, bytes) {
      await writeFile(join(folder, 'new'), bytes)
      const store = blobs.writing
      await store.take({ id, name }, join(folder, 'new'))
      await files.add({
        id,
        fileName: name,
        size: bytes.length,
        md5: md5(bytes),
        dataFormat: null,
        access: 'open',
        acl: [],
        partOf: null,
        indexName: null,
        storage: store.kind,
        linkedModified: null,
        createdAt: '2025-02-03T04:05:06.789Z',
      })
    },
    async token(project = PROJECT) {
      const { id, secret } = await tokens.create({
        user: `user of ${project}`,
        projects: [project],
      })
      const tokenFile = join(folder, `token-${id}`)
      await writeFile(tokenFile, `${secret}\n`)
      return { id, secret, headers: { 'x-auth-token': secret }, file: tokenFile }
    },
    async [Symbol.asyncDispose]() {
      await server.close()
      await engine.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
