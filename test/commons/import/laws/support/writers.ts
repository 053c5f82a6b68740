import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, parse } from 'node:path'
import { promisify } from 'node:util'
import { DuckDBInstance } from '@duckdb/node-api'
import { available } from '../../../../available.ts'
import { runPython, runR } from '../../../../peers/run-peer.ts'
import type { GivenSource } from '../../support/documents.ts'

/** A program that reads tab-separated tables and writes them in its own way. */
interface Writer {
  readonly name: string
  readonly isThere: boolean
  /** Rewrites each file of one folder into the other, under the same name. */
  write(from: string, to: string, fileNames: readonly string[]): Promise<unknown>
}

// Each of them guesses the types of columns, as it does by default.

const R = (name: string, isThere: boolean, write: string): Writer => ({
  ...{ name, isThere },
  write: (from, to) =>
    runR(
      `at <- commandArgs(TRUE)
      for (name in list.files(at[1])) {
        table <- read.delim(file.path(at[1], name), check.names = FALSE, quote = "",
                            na.strings = c("", "NA", "'--"))
        path <- file.path(at[2], name)
        ${write}
      }`,
      [from, to],
    ),
})

const R_SETTINGS = ['TRUE', 'FALSE'].flatMap((quote) =>
  ['TRUE', 'FALSE'].flatMap((names) =>
    ['\\t', ','].map((sep) => `quote = ${quote}, row.names = ${names}, sep = "${sep}"`),
  ),
)

const pandas = (settings: string): Writer => ({
  ...{ name: `to_csv(${settings})`, isThere: available.pandas },
  write: (from, to) =>
    runPython(
      `
import os, sys
import pandas as pd
for name in os.listdir(sys.argv[1]):
  table = pd.read_csv(os.path.join(sys.argv[1], name), sep='\\t', quoting=3,
                      keep_default_na=False, na_values=['', 'NA', "'--"])
  table.to_csv(os.path.join(sys.argv[2], name), ${settings})
`,
      [from, to],
    ),
})

/** Booleans are no candidates: "yes" in a text column would be written as "true". */
const duckDb = (delimiter: string): Writer => ({
  ...{ name: `COPY with ${JSON.stringify(delimiter)}`, isThere: true },
  async write(from, to, fileNames) {
    const instance = await DuckDBInstance.create()
    const connection = await instance.connect()
    for (const name of fileNames) {
      await connection.run(
        `COPY (FROM read_csv('${join(from, name)}', delim = '\t', header = true, quote = '',
          nullstr = ['', 'NA', '''--'], auto_type_candidates = ['BIGINT', 'DOUBLE', 'VARCHAR'])) TO '${join(to, name)}'
          (FORMAT csv, HEADER true, DELIMITER '${delimiter}')`,
      )
    }
    connection.closeSync()
    instance.closeSync()
  },
})

/** Converts to a spreadsheet and back: tabs, quotes where needed, UTF-8. */
const CALC = 'Text - txt - csv (StarCalc):9,34,76,1'

const libreOffice: Writer = {
  ...{ name: 'LibreOffice', isThere: available.libreOffice },
  async write(from, to, fileNames) {
    const sources = fileNames.map((name) => join(from, name))
    const words = ['--headless', `--infilter=${CALC}`, '--convert-to', `csv:${CALC}`]
    await promisify(execFile)('soffice', [...words, '--outdir', to, ...sources])
    for (const name of fileNames) {
      const made = join(to, `${parse(name).name}.csv`)
      await writeFile(join(to, name), await readFile(made))
    }
  },
}

export const WRITERS: readonly Writer[] = [
  ...R_SETTINGS.map((settings) =>
    R(`write.table(${settings})`, available.rscript, `write.table(table, path, ${settings})`),
  ),
  pandas(''),
  pandas(`sep='\\t', index=False`),
  duckDb('\t'),
  duckDb(','),
  // By default it doubles quotes without enclosing the text in quotes, so that `5"` and `5""` look the same.
  R(
    'write_tsv(quote = "needed")',
    available.readr,
    'readr::write_tsv(table, path, quote = "needed")',
  ),
  libreOffice,
]

/** Returns some files as rewritten by a program. */
export async function writtenBy(
  writer: Writer,
  sources: readonly GivenSource[],
): Promise<readonly GivenSource[]> {
  const folder = await mkdtemp(join(tmpdir(), 'casemill-writer-'))
  const [from, to] = [join(folder, 'from'), join(folder, 'to')]
  try {
    await Promise.all([from, to].map((path) => mkdir(path)))
    for (const { name, content } of sources) await writeFile(join(from, name), content)
    const names = sources.map(({ name }) => name)
    await writer.write(from, to, names)
    return await Promise.all(
      names.map(async (name) => ({ name, content: await readFile(join(to, name)) })),
    )
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Number of writers from one round to the next. */
const ROUND_STEP = 5

/** Each file in what one of the programs makes of it, another one in each round. */
export async function writtenByMany(
  sources: readonly GivenSource[],
  round: number,
): Promise<readonly GivenSource[]> {
  const writers = WRITERS.filter(({ isThere }) => isThere)
  const written: GivenSource[] = []
  for (const [i, source] of sources.entries()) {
    const writer = writers[(i + ROUND_STEP * round) % writers.length]
    if (writer) written.push(...(await writtenBy(writer, [source])))
  }
  return written
}
