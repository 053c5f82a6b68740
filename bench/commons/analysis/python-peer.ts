import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runTool } from '../../tools.ts'
import type { Answer, Cells } from './answers.ts'
import { LineChild } from './line-child.ts'
import type { Kind, Question } from './questions.ts'
import type { Contestant, Peer, Way } from './way.ts'

/** The system's own comes with the distribution's packages, whichever is first on the path. */
const PROGRAMS = ['python3', '/usr/bin/python3'] as const
const PACKAGES = ['numpy', 'pandas', 'h5py', 'scipy'] as const

const SCRIPTS = join(import.meta.dirname, 'python')

/** A Python that has everything, or undefined. */
export async function findPython(): Promise<string | undefined> {
  for (const program of PROGRAMS) {
    const words = ['-c', `import ${PACKAGES.join(', ')}`]
    const isThere = await runTool(program, words).then(
      () => true,
      () => false,
    )
    if (isThere) return program
  }
  return undefined
}

/** Writes the single-cell file. */
export async function makeCells(python: string, path: string, genes: number, cells: number) {
  await runTool(python, [join(SCRIPTS, 'make_cells.py'), path, String(genes), String(cells)])
}

interface PythonInput {
  readonly matrix: string
  readonly frames: string
  /** The single-cell file. */
  readonly cells: string | undefined
}

/** numpy, pandas and h5py in a process that keeps what it has loaded. */
export async function startPython(
  python: string,
  { matrix, frames, cells }: PythonInput,
  scratch: string,
): Promise<Peer> {
  const words = [join(SCRIPTS, 'peer.py'), matrix, frames, cells ?? '']
  const child = new LineChild(python, words)
  const greeting = await child.next()
  const path = join(scratch, 'python')
  const ask = async (way: string, question: Question): Promise<Told> =>
    JSON.parse(await child.ask(JSON.stringify({ way, question, path })))
  const contestant = (name: string, way: string): Contestant => ({
    name,
    ways: [wayOf(name, (question) => ask(way, question), path)],
  })
  const contestants: Readonly<Record<Kind, readonly Contestant[]>> = {
    values: [
      contestant('pandas to_csv', 'to_csv'),
      { ...contestant('numpy savetxt', 'savetxt'), isPart: true },
    ],
    selection: [contestant('numpy', 'select')],
    differential: [contestant('scipy', 'differential')],
    coexpression: [contestant('scipy', 'coexpression')],
    survival: [],
    'top-genes': [contestant('pandas', 'top-genes')],
    'top-cases': [contestant('pandas', 'top-cases')],
    'cases-of-genes': [contestant('pandas', 'cases-of-genes')],
    'mutated-cases': [contestant('pandas', 'mutated-cases')],
    cells: [
      contestant('h5py and JSON', 'cells'),
      { ...contestant('h5py, rows alone', 'rows'), isPart: true },
    ],
  }
  return {
    versions: JSON.parse(greeting),
    contestants: (kind) => contestants[kind],
    stop: () => child.stop(),
  }
}

interface Told {
  readonly milliseconds: number
  readonly answer: unknown
}

function wayOf(name: string, ask: (question: Question) => Promise<Told>, path: string): Way {
  return {
    name,
    async times(questions) {
      const times: number[] = []
      for (const question of questions) times.push((await ask(question)).milliseconds)
      return times
    },
    async answer(question): Promise<Answer> {
      const { answer } = await ask(question)
      if (question.kind === 'values') return { table: await readFile(path) }
      if (question.kind === 'cells') return { value: cellsIn(await readFile(path, 'utf8')) }
      return { value: answer }
    },
  }
}

interface CellsBody {
  readonly data: readonly {
    readonly gene_id: string
    readonly cells: readonly { readonly cell_id: string; readonly value: number }[]
  }[]
}

/** What a body of data-commons.md 6.5 says. */
export function cellsIn(body: string): Cells {
  const { data } = JSON.parse(body) as CellsBody
  return data.map(({ gene_id, cells }) => [
    gene_id,
    cells.map(({ cell_id }) => cell_id),
    cells.map(({ value }) => value),
  ])
}
