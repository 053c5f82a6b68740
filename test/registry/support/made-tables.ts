import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Engine } from '../../../engine/index.ts'
import { finished, packagesOf } from '../../../engine/registry/codes/support/made-codes.ts'

/** Loads products with the given code and name, each with a package `10`. */
export async function loadProducts(
  { registry: { ndc } }: Pick<Engine, 'registry'>,
  ...products: readonly (readonly [code: string, name: string])[]
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'casemill-made-tables-'))
  try {
    const [table, packages] = [join(folder, 'products.txt'), join(folder, 'packages.txt')]
    await writeFile(table, finished(...products))
    await writeFile(packages, packagesOf(...products.map(([code]) => `${code}-10`)))
    await ndc.import({ products: table, packages }, { user: 'import' })
  } finally {
    await rm(folder, { recursive: true })
  }
}
