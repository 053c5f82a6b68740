import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { File, ready } from 'h5wasm/node'

/** A matrix whose cells follow a formula. */
export interface MadeMatrix {
  readonly genes: readonly string[]
  readonly cells: number
  readonly numberOf: (gene: number, cell: number) => number
  readonly nameOf?: ((cell: number) => string) | undefined
}

const namesOf = ({ cells, nameOf = (cell) => `cell-${cell}` }: MadeMatrix) =>
  Array.from({ length: cells }, (_, cell) => nameOf(cell))

/** Returns the bytes of an HDF5 file that `fill` writes. */
async function written(fill: (file: File) => void): Promise<Buffer> {
  await ready
  const folder = await mkdtemp(join(tmpdir(), 'casemill-cells-'))
  try {
    const path = join(folder, 'made.h5')
    const file = new File(path, 'w')
    fill(file)
    file.close()
    return await readFile(path)
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** Variants of a matrix as loom: complete, with gene names only, without a description, and with layers. */
export async function looms(made: MadeMatrix) {
  const { genes, cells, numberOf } = made
  const data = Float64Array.from({ length: genes.length * cells }, (_, i) =>
    numberOf(Math.floor(i / cells), i % cells),
  )
  const loom = (attributes: readonly string[], layers: readonly string[] = []) =>
    written((file) => {
      const chunks = [Math.min(64, genes.length), Math.min(64, cells)]
      const shape = [genes.length, cells]
      file.create_dataset({ name: 'matrix', data, shape, chunks, compression: 'gzip' })
      file.create_group('row_attrs')
      file.create_group('col_attrs')
      for (const name of attributes) {
        file.create_dataset({ name: `row_attrs/${name}`, data: [...genes] })
      }
      file.create_dataset({ name: 'col_attrs/CellID', data: namesOf(made) })
      if (layers.length > 0) file.create_group('layers')
      for (const name of layers) file.create_dataset({ name: `layers/${name}`, data, shape })
    })
  return {
    whole: await loom(['Accession', 'Gene']),
    namesAlone: await loom(['Gene']),
    withoutGenes: await loom([]),
    withLayers: await loom(['Accession'], ['spliced', 'unspliced']),
  }
}

/** A file whose matrix is a link to another file. */
export const linking = (path: string) =>
  written((file) => {
    file.create_external_link(path, '/matrix', 'matrix')
    file.create_external_link(path, '/row_attrs', 'row_attrs')
    file.create_external_link(path, '/col_attrs', 'col_attrs')
  })

/** A matrix as 10x writes it. */
export function tenX(made: MadeMatrix): Promise<Buffer> {
  const { genes, cells, numberOf } = made
  const data: number[] = []
  const indices: bigint[] = []
  const starts = [0n]
  for (let cell = 0; cell < cells; cell++) {
    for (let gene = 0; gene < genes.length; gene++) {
      const value = numberOf(gene, cell)
      if (value === 0) continue
      data.push(value)
      indices.push(BigInt(gene))
    }
    starts.push(BigInt(data.length))
  }
  return written((file) => {
    file.create_group('matrix')
    file.create_group('matrix/features')
    const list = (name: string, values: Parameters<File['create_dataset']>[0]['data']) =>
      file.create_dataset({ name: `matrix/${name}`, data: values })
    list('data', Int32Array.from(data))
    list('indices', BigInt64Array.from(indices))
    list('indptr', BigInt64Array.from(starts))
    list('shape', Int32Array.of(genes.length, cells))
    list('barcodes', namesOf(made))
    list('features/id', [...genes])
  })
}
