import { createHash } from 'node:crypto'

export interface DrsChecksum {
  readonly type: 'md5' | 'sha-256'
  /** Hex. */
  readonly checksum: string
}

/** What a blob and a bundle have in common. */
export interface DescribedObject {
  readonly id: string
  /** Of portable characters: letters, digits, dot, hyphen, underscore. */
  readonly name: string
  /** Bytes; of a bundle, of all of its contents. */
  readonly size: number
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly checksums: readonly DrsChecksum[]
  readonly description: string | undefined
  readonly aliases: readonly string[]
}

/** A file. */
export interface DrsBlob extends DescribedObject {
  readonly kind: 'blob'
  readonly dataFormat: string | undefined
  /** Whether everybody may have its bytes. */
  readonly isOpen: boolean
  /** Whether its bytes are here. */
  readonly isStored: boolean
}

/** Several files under one id. Bundles are flat: none holds another one. */
export interface DrsBundle extends DescribedObject {
  readonly kind: 'bundle'
  /** The release that says what is in it. */
  readonly version: string
  readonly contents: readonly DrsContent[]
}

export interface DrsContent {
  readonly id: string
  /** Unique within the bundle. */
  readonly name: string
}

export type DrsObject = DrsBlob | DrsBundle

/** A file of a bundle. */
export interface BundleMember {
  readonly id: string
  readonly fileName: string
  /** Hex. */
  readonly md5: string
  /** Bytes. */
  readonly size: number
}

/** @example portableName('a b (1).bam') // 'a_b__1_.bam' */
export const portableName = (name: string): string => name.replace(/[^A-Za-z0-9._-]/g, '_')

/**
 * The checksum of a bundle: the md5 of its members' md5s in hex, sorted and concatenated (DRS 1.5,
 * DrsObject, checksums).
 */
export function bundleChecksum(members: readonly Pick<BundleMember, 'md5'>[]): DrsChecksum {
  const sums = members.map(({ md5 }) => md5).toSorted()
  return { type: 'md5', checksum: createHash('md5').update(sums.join('')).digest('hex') }
}

/** Members by names that are unique: one that another member has too gets its id in front. */
export function contentsOf(members: readonly BundleMember[]): readonly DrsContent[] {
  const counts = new Map<string, number>()
  for (const { fileName } of members) {
    const name = portableName(fileName)
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return members.map(({ id, fileName }) => {
    const name = portableName(fileName)
    return { id, name: counts.get(name) === 1 ? name : `${id}.${name}` }
  })
}
