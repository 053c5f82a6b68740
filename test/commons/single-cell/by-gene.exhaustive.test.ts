import { existsSync, readdirSync, readlinkSync } from 'node:fs'
import { open, readFile, rename, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { loadGeneDirectory } from '../../../engine/commons/analysis/single-cell/gene-file.ts'
import { openEngine } from '../../../engine/index.ts'
import { inlineExecutor } from '../../../engine/shared/index.ts'
import { ThreadPool } from '../../../workers/pool.ts'
import { eventually } from '../../eventually.ts'
import { linking, looms, type MadeMatrix, tenX } from '../contract/support/cell-files.ts'
import { idOf, numbersOf, openStored, type StoredWorld } from './support/stored.ts'

// Answers from the numbers stored by gene must be equal to those from the file itself.

/** More cells than a block has. */
const LARGE: MadeMatrix = {
  genes: ['ENSG00000000001.4', 'ENSG00000000002', 'ENSG00000000003.1', 'ENSG00000000003.2'],
  cells: 40_000,
  numberOf: (gene, cell) => (cell % (gene + 2) === 0 ? Math.log1p((cell % 900) + gene) : 0),
}
const SMALL: MadeMatrix = {
  genes: ['ENSG00000000001', 'ENSG00000000002'],
  cells: 6,
  numberOf: (gene, cell) => [0, 0.1, -2.5e-9, 1e21, 3, -0][cell]! * (gene + 1),
}
const ASKED = ['ENSG00000000003.2', 'ENSG00000000001', 'ENSG00000000009', 'ENSG00000000003']
const [ROWS, MIDDLE] = [[3, 0, -1, 2], 'ENSG00000000003']

const large = (await looms(LARGE)).whole
const largeTenX = await tenX({
  ...LARGE,
  numberOf: (gene, cell) => Math.round(LARGE.numberOf(gene, cell) * 100),
})
const small = (await looms(SMALL)).whole
const loom = { id: idOf(1), name: 'a.loom', bytes: large }
const sparse = { id: idOf(2), name: 'b.h5', bytes: largeTenX }
const tiny = { id: idOf(3), name: 'c.loom', bytes: small }

let threads: ThreadPool
beforeAll(() => {
  threads = new ThreadPool({ threads: 2 })
})
afterAll(() => threads.close())

let world: StoredWorld
beforeEach(async () => {
  world = await openStored({ threads })
})
afterEach(() => world.close())

const expected = (numberOf: MadeMatrix['numberOf']) =>
  ROWS.map((row) =>
    row < 0 ? [] : Array.from({ length: LARGE.cells }, (_, cell) => numberOf(row, cell)),
  )

/** The answer from the file itself, which is read as long as no numbers are stored. */
async function direct(file: typeof loom, geneIds: readonly string[]) {
  const other = await openStored({ threads })
  try {
    await other.import([file])
    for (const path of Object.values(other.paths(file.id))) await rm(path)
    other.jobs.length = 0
    const answer = await other.ask(file.id, geneIds)
    expect(other.jobs).not.toContain('single-cell.print-genes')
    return answer
  } finally {
    await other.close()
  }
}

const isThere = (id: string) => Object.values(world.paths(id)).every((path) => existsSync(path))
const built = (id: string) =>
  eventually(() => expect(isThere(id) && world.events.some(isBuilt)).toBe(true))
const isBuilt = ({ message }: { readonly message: string }) => message.includes('numbers put into')

describe('a file that is imported', () => {
  test.each([
    ['a table', loom, LARGE.numberOf],
    [
      'a sparse matrix',
      sparse,
      (gene: number, cell: number) => Math.round(LARGE.numberOf(gene, cell) * 100),
    ],
  ] as const)('%s is answered by gene alone, with the very bytes', async (_, file, numberOf) => {
    expect(await world.import([file])).toEqual([])
    world.jobs.length = 0
    const answer = await world.ask(file.id, ASKED)
    expect(new Set(world.jobs)).toEqual(new Set(['single-cell.print-genes']))
    expect(numbersOf(answer)).toEqual(expected(numberOf))
    expect(answer.equals(await direct(file, ASKED))).toBe(true)
    expect(await world.issues()).toEqual([])
  })

  test('zeros with a sign, small and large numbers are reported as they are', async () => {
    await world.import([tiny])
    const answer = await world.ask(tiny.id, ['ENSG00000000002'])
    expect(numbersOf(answer)).toEqual([[0, 0.2, -5e-9, 2e21, 6, -0]])
    expect(answer.toString()).toContain('"cell-5","value":-0.0}')
    expect(answer.equals(await direct(tiny, ['ENSG00000000002']))).toBe(true)
  })

  test.each([false, true])('is sorted where paths are relative, too (linked: %s)', async (link) => {
    await world.import([tiny])
    const manifest = join(world.from, '../manifest.txt')
    const from = relative(process.cwd(), world.from)
    const dataFolder = relative(process.cwd(), join(world.from, '../other'))
    const engine = await openEngine({ dataFolder, executor: inlineExecutor })
    try {
      await engine.commons.importFiles({ manifest, from, link, access: 'open' })
      expect(existsSync(join(dataFolder, 'files', tiny.id, 'genes.directory'))).toBe(true)
    } finally {
      await engine.close()
    }
  })

  test('of another layout is stored without, and says so; a file of another format needs none', async () => {
    const other = { id: idOf(4), name: 'd.h5', bytes: await linking('elsewhere') }
    const table = { id: idOf(5), name: 'e.loom', bytes: Buffer.from('gene\tcell\n') }
    expect(await world.import([other, table])).toEqual([
      expect.stringContaining('the HDF5 file holds no matrix in a supported layout'),
    ])
    expect([isThere(other.id), isThere(table.id)]).toEqual([false, false])
    expect(await world.issues()).toEqual([])
  })

  test('that is damaged is stored and says why it is not sorted', async () => {
    const bytes = Buffer.from(large).fill(0xa5, 100_000, 160_000)
    const told = await world.import([{ ...loom, bytes }])
    expect(told).toEqual([expect.stringContaining('cannot be sorted by gene: the HDF5 file')])
    expect(isThere(loom.id)).toBe(false)
    expect(await world.issues()).toEqual([])
  })

  test('gets its numbers by gene in the background where it has none', async () => {
    await world.import([loom])
    for (const path of Object.values(world.paths(loom.id))) await rm(path)
    const before = await world.ask(loom.id, ASKED)
    await built(loom.id)
    world.jobs.length = 0
    expect((await world.ask(loom.id, ASKED)).equals(before)).toBe(true)
    expect(new Set(world.jobs)).toEqual(new Set(['single-cell.print-genes']))
    expect(await world.issues()).toEqual([])
  })
})

describe('a file that has changed', () => {
  test('where it is linked to is not answered at all', async () => {
    await world.import([tiny], { link: true })
    expect(numbersOf(await world.ask(tiny.id, ['ENSG00000000001']))[0]).toHaveLength(6)
    const path = join(world.from, tiny.name)
    await utimes(path, 1000, 1000)
    await expect(world.ask(tiny.id, ['ENSG00000000001'])).rejects.toMatchObject({
      code: 'corrupt_source',
      message: expect.stringContaining('changed where it is linked'),
    })
    const problems = (await world.issues()).map(({ problem }) => problem)
    expect(problems).toContain(
      'the file changed after its numbers were put into the order of genes',
    )
  })

  test('in the data folder is answered as it is now, and sorted again', async () => {
    const other = (await looms({ ...SMALL, numberOf: (gene, cell) => gene + cell })).whole
    expect(other.length).toBe(small.length)
    await world.import([tiny])
    await world.ask(tiny.id, ['ENSG00000000002'])
    const path = world.engine.shared.blobs.folder.path({ id: tiny.id, name: tiny.name })
    await writeFile(`${path}.new`, other)
    await rename(`${path}.new`, path)
    for (let i = 0; i < 3; i++) {
      const [numbers] = numbersOf(await world.ask(tiny.id, ['ENSG00000000002']))
      expect(numbers).toEqual([1, 2, 3, 4, 5, 6])
      await built(tiny.id)
    }
    const loaded = await loadGeneDirectory(world.paths(tiny.id).directory)
    expect(loaded?.identity.inode).toBe(String((await stat(path, { bigint: true })).ino))
  })
})

describe('numbers by gene that are damaged', () => {
  let whole: Buffer
  beforeAll(async () => {
    whole = await direct(loom, ASKED)
  })
  beforeEach(() => world.import([loom]))

  /** Changes a byte in the block of a gene. */
  async function flipNumber(row: number) {
    const { numbers, directory } = world.paths(loom.id)
    const at = (await loadGeneDirectory(directory))?.directory.numbers.offset[2 * row + 1] ?? 0
    const file = await open(numbers, 'r+')
    const byte = Buffer.alloc(1)
    await file.read(byte, 0, 1, at + 20)
    await file.write(Buffer.of(byte[0]! ^ 1), 0, 1, at + 20)
    await file.close()
  }

  test.each([
    ['a byte of the numbers', () => flipNumber(3), '1 blocks of its numbers by gene are damaged'],
    ['a byte in the midst of an answer', () => flipNumber(2), '1 blocks of its numbers'],
    [
      'the end of the numbers',
      async () => {
        const { numbers } = world.paths(loom.id)
        await truncate(numbers, (await stat(numbers)).size - 10)
      },
      '1 blocks of its numbers by gene are damaged',
    ],
    ['all of the numbers', () => rm(world.paths(loom.id).numbers), 'numbers by gene are missing'],
    [
      'the directory',
      async () => {
        const { directory } = world.paths(loom.id)
        const bytes = await readFile(directory)
        await writeFile(directory, bytes.fill(1, 200, 210))
      },
      'array file is damaged',
    ],
    [
      'the end of the directory',
      async () => {
        const { directory } = world.paths(loom.id)
        await truncate(directory, (await stat(directory)).size - 8)
      },
      'array file is damaged',
    ],
    ['all of the directory', () => rm(world.paths(loom.id).directory), 'directory of its numbers'],
  ] as const)('%s: the file itself answers', async (_, damage, told) => {
    await damage()
    expect((await world.issues()).map(({ problem }) => problem)).toEqual([
      expect.stringContaining(told),
    ])
    expect((await world.ask(loom.id, ASKED)).equals(whole)).toBe(true)
  })

  test('are made again by the answer that met them', async () => {
    await world.ask(loom.id, ASKED)
    await flipNumber(2)
    expect((await world.ask(loom.id, ASKED)).equals(whole)).toBe(true)
    expect(world.events.map(({ message }) => message)).toContain(
      'numbers in the order of genes are damaged and will be made again',
    )
    await built(loom.id)
    world.jobs.length = 0
    expect((await world.ask(loom.id, [MIDDLE])).length).toBeGreaterThan(LARGE.cells)
    expect(new Set(world.jobs)).toEqual(new Set(['single-cell.print-genes']))
    expect(await world.issues()).toEqual([])
  })
})

/** Files of numbers by gene that this process has open. */
function openFiles(): readonly string[] {
  return readdirSync('/proc/self/fd').flatMap((name) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${name}`)
      return path.includes('genes.numbers') ? [path] : []
    } catch {
      return []
    }
  })
}

describe('many at a time', () => {
  test('all answers are whole, also while numbers are made again and again', async () => {
    await world.import([loom, sparse, tiny])
    const whole = [await world.ask(loom.id, ASKED), await world.ask(sparse.id, ASKED)]
    const some = Array.from({ length: 24 }, async (_, i) => {
      if (i % 6 === 5) await rm(world.paths(loom.id).directory, { force: true })
      const file = i % 2 === 0 ? loom : sparse
      return (await world.ask(file.id, ASKED)).equals(whole[i % 2]!)
    })
    expect(await Promise.all(some)).toEqual(Array(24).fill(true))
  })

  test('one file is open once for all, and none when the engine is closed', async () => {
    await world.import([loom, tiny])
    await Promise.all(Array.from({ length: 12 }, () => world.ask(loom.id, ASKED)))
    expect(openFiles()).toHaveLength(1)
    const stopping = new AbortController()
    const request = { caseId: undefined, fileId: loom.id, geneIds: ASKED, token: undefined }
    const answer = await world.engine.commons.singleCell.expression(request, {
      signal: stopping.signal,
    })
    stopping.abort(new Error('the client has left'))
    await answer[Symbol.asyncDispose]()
    const other = await world.engine.commons.singleCell.expression(request)
    await other[Symbol.asyncDispose]()
    await world.close()
    expect(openFiles()).toEqual([])
    world = await openStored({ threads })
  })
})
