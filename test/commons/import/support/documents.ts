import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { DatasetName } from '../../../../engine/commons/datasets/define.ts'
import { type Assembled, assemble } from '../../../../engine/commons/import/assemble.ts'
import { Intake } from '../../../../engine/commons/import/intake.ts'
import { readSources } from '../../../../engine/commons/import/read-sources.ts'
import { Staging } from '../../../../engine/commons/import/staging.ts'
import { writeVersions } from '../../../../engine/commons/import/versions.ts'
import { type Executor, inlineExecutor } from '../../../../engine/shared/executor.ts'
import type { JsonObject } from '../../../../engine/shared/input/json-value.ts'
import { listSources } from '../../../../engine/shared/input/source-file.ts'

export interface Documents {
  /** The documents by dataset, in the order in which a release receives them. */
  readonly documents: Readonly<Record<string, readonly JsonObject[]>>
  /** The same documents as texts, byte for byte as a release receives them. */
  readonly texts: Readonly<Record<string, string>>
  readonly versions: readonly JsonObject[]
  readonly intake: Intake
  readonly assembled: Assembled
}

export interface GivenSource {
  readonly name: string
  readonly content: string | Uint8Array
}

export interface DocumentsOptions {
  readonly as?: DatasetName
  readonly maxErrors?: number
  readonly executor?: Executor
}

/** Returns the documents that an import makes from some files, without building the release. */
export async function documentsOf(
  sources: readonly GivenSource[],
  { as, maxErrors = 0, executor = inlineExecutor }: DocumentsOptions = {},
): Promise<Documents> {
  const folder = await mkdtemp(join(tmpdir(), 'casemill-documents-'))
  try {
    const staging = await Staging.open(folder, 1)
    try {
      const intake = new Intake(staging, { maxErrors })
      const paths: string[] = []
      for (const [i, { name, content }] of sources.entries()) {
        const path = join(folder, String(i), name)
        await mkdir(dirname(path), { recursive: true })
        await writeFile(path, content)
        paths.push(path)
      }
      const options = { as, executor }
      const release = '1.0'
      staging.release = release
      await readSources(await listSources(paths), { intake, staging }, options)
      staging.seal()
      const assembled = await assemble(staging, { folder, release, lastRelease: undefined })
      const versions = await writeVersions(staging, folder)
      const texts: Record<string, string> = {}
      for (const [dataset, path] of Object.entries(assembled.sources)) {
        texts[dataset] = await readFile(path, 'utf8')
      }
      return {
        documents: Object.fromEntries(
          Object.entries(texts).map(([dataset, text]) => [dataset, parseLines(text)]),
        ),
        texts,
        versions: parseLines(await readFile(versions.path, 'utf8')),
        intake,
        assembled,
      }
    } finally {
      staging.close()
    }
  } finally {
    await rm(folder, { recursive: true })
  }
}

function parseLines(text: string): readonly JsonObject[] {
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
}

/** A JSON source. */
export const json = (value: unknown, name = 'source.json'): GivenSource => ({
  name,
  content: JSON.stringify(value),
})

/** A tab-separated source: its header and rows. */
export const tsv = (name: string, ...rows: readonly (readonly string[])[]): GivenSource => ({
  name,
  content: rows.map((cells) => `${cells.join('\t')}\n`).join(''),
})

/** Returns a UUID for the nth record of a kind, which is one hex digit. */
export const uuidOf = (kind: string, n: number): string =>
  `${kind}0000000-0000-4000-8000-${String(n).padStart(12, '0')}`
