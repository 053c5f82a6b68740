import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadGeneDirectory } from '../../../engine/commons/analysis/single-cell/gene-file.ts'
import { type S3Server, startS3 } from '../../../engine/shared/blobs/support/s3-server.ts'
import { publicData } from '../../../fixtures/public-data.ts'
import { available } from '../../available.ts'
import { runPython } from '../../peers/run-peer.ts'
import { idOf, numbersOf, openStored, type StoredWorld } from './support/stored.ts'

const DATA = publicData('data/single_cell')

/** A script for more cells than one job reads; types as both kinds of strings, clusters as numbers. */
const WRITE = `
import h5py, sys, numpy as np
rng = np.random.default_rng(11)
genes, cells = 2, 40000
types = np.array(["T cell", "B cell", "na\u00efve", "", "NK \\"cell\\""])
with h5py.File(sys.argv[1], "w") as f:
    f.create_dataset("matrix", data=rng.poisson(1, (genes, cells)).astype("f4"))
    f["row_attrs/Accession"] = np.array(["ENSG%011d" % i for i in range(genes)], "S")
    f["col_attrs/CellID"] = np.array(["cell %d" % i for i in range(cells)], "S")
    kind = rng.integers(0, len(types), cells)
    f["col_attrs"].create_dataset("CellType", data=types[kind].astype(object), dtype=h5py.string_dtype())
    f["col_attrs/Batch"] = np.array([b"one", b"two"], "S3")[rng.integers(0, 2, cells)]
    f["col_attrs/Clusters"] = rng.integers(-1, 9, cells)
    f["col_attrs/Score"] = rng.random(cells)
    f["col_attrs/Embedding"] = rng.random((cells, 2))
    f["col_attrs/IsKept"] = rng.random(cells) > 0.5
    f["col_attrs/Short"] = np.arange(3)
`

const MANY = `
import h5py, sys, numpy as np
with h5py.File(sys.argv[1], "w") as f:
    f.create_dataset("matrix", data=np.arange(3).reshape(1, 3).astype("f4"))
    f["row_attrs/Accession"] = np.array(["ENSG00000000000"], "S")
    f["col_attrs/CellID"] = np.array(["a", "b", "c"], "S")
    for i in range(201): f["col_attrs/A%d" % i] = np.arange(3)
`

/** A script that prints the strings of a list, and whole numbers without a decimal point. */
const READ = `
import h5py, json, sys
with h5py.File(sys.argv[1], "r") as f:
    text = lambda x: x.decode() if isinstance(x, bytes) else str(x)
    print(json.dumps([text(x) for x in f["col_attrs/" + sys.argv[2]][:]]))
`

describe.skipIf(!available.numpy).each(['folder', 's3'])('annotations of cells (%s)', (storage) => {
  let s3: S3Server
  let world: StoredWorld
  const path = () => join(world.from, 'made.loom')
  beforeAll(async () => {
    s3 = await startS3()
    world = await openStored(storage === 's3' ? { objects: s3.options } : {})
    await runPython(WRITE, [path()])
    await world.import([{ id: idOf(1), name: 'made.loom', bytes: await readFile(path()) }])
  })
  afterAll(async () => {
    await world.close()
    await s3.stop()
  })

  const ask = (fileId: string, annotation?: string) =>
    world.engine.commons.singleCell.annotations({
      caseId: undefined,
      fileId,
      annotation,
      token: undefined,
    })

  test('lists of texts and of numbers with an element for each cell are named', async () => {
    expect((await world.engine.shared.files.find(idOf(1)))?.storage).toBe(storage)
    const { cells, annotations } = await ask(idOf(1))
    expect(cells).toBe(40_000)
    expect(annotations.toSorted((one, other) => one.name.localeCompare(other.name))).toEqual([
      { name: 'Batch', kind: 'text' },
      { name: 'CellType', kind: 'text' },
      { name: 'Clusters', kind: 'number' },
      { name: 'IsKept', kind: 'text' },
      { name: 'Score', kind: 'number' },
    ])
  })

  test.each(['CellType', 'Batch', 'Clusters', 'IsKept'])(
    'each cell has the value of %s that h5py reads',
    async (name) => {
      const { annotation } = await ask(idOf(1), name)
      const expected = JSON.parse(await runPython(READ, [path(), name])) as readonly string[]
      expect(annotation?.codes.map((code) => annotation.values[code])).toEqual(expected)
      expect(annotation?.values).toEqual([...new Set(expected)])
    },
  )

  test('what does not group cells is refused, and so is what is not there', async () => {
    await expect(ask(idOf(1), 'Score')).rejects.toMatchObject({
      code: 'bad_input',
      message: expect.stringContaining('more than 200 values'),
    })
    for (const name of ['CellID', '../matrix', 'Embedding', 'Short', '']) {
      await expect(ask(idOf(1), name)).rejects.toMatchObject({
        code: 'bad_input',
        message: expect.stringContaining('"CellType"'),
      })
    }
  })

  test('a file of too many annotations is refused, and its numbers are answered', async () => {
    const other = join(world.from, 'many.loom')
    await runPython(MANY, [other])
    const id = idOf(9)
    expect(await world.import([{ id, name: 'many.loom', bytes: await readFile(other) }])).toEqual(
      [],
    )
    await expect(ask(id)).rejects.toMatchObject({
      code: 'too_large',
      message: expect.stringContaining('201 annotations'),
    })
    expect(numbersOf(await world.ask(id, ['ENSG00000000000']))).toEqual([[0, 1, 2]])
  })

  test('where what is kept of them is damaged, the check tells; the file answers where it is here', async () => {
    const id = idOf(8)
    const expected = await ask(idOf(1), 'Batch')
    await world.import([{ id, name: 'other.loom', bytes: await readFile(path()) }])
    const { numbers, directory } = world.paths(id)
    const { list, codes } = (await loadGeneDirectory(directory))!.directory.annotations!
    const bytes = await readFile(numbers)
    const at = codes.offset[2 * list.findIndex(({ name }) => name === 'Batch') + 1] ?? 0
    bytes[at] = 1 - bytes[at]!
    await writeFile(numbers, bytes)
    const told = (await world.issues()).filter(({ subject }) => subject.includes(id))
    expect(told.map(({ problem }) => problem)).toEqual([
      '1 blocks of its numbers by gene are damaged',
    ])
    const asked = ask(id, 'Batch')
    if (storage === 's3') await expect(asked).rejects.toMatchObject({ code: 'corrupt_source' })
    else expect(await asked).toEqual({ ...expected, file_id: id })
  })

  test.skipIf(!available.shared)('published files have what they have', async () => {
    const names = ['pbmc_chr21.lognorm.loom', '10x_v3_filtered_feature_bc_matrix.h5']
    const found = []
    for (const [index, name] of names.entries()) {
      await copyFile(join(DATA, name), join(world.from, name))
      await world.import([{ id: idOf(2 + index), name, bytes: await readFile(join(DATA, name)) }])
      found.push((await ask(idOf(2 + index))).annotations)
    }
    // h5ls pbmc_chr21.lognorm.loom/col_attrs; 10x files have only a name for each cell.
    expect(found).toEqual([[{ name: 'nUMI', kind: 'number' }], []])
  })
})
