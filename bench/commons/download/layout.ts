/** Files of one length each, whose bytes follow one another in one stream. */
interface FileSet {
  readonly count: number
  readonly bytes: number
}

export type SetName = 'single' | 'archive' | 'small'
export type Layout = Readonly<Record<SetName, FileSet>>
export type InputName = 'full' | 'quick' | 'test'

const LAYOUTS: Readonly<Record<InputName, Layout>> = {
  full: {
    single: { count: 1, bytes: 2_000_000_000 },
    archive: { count: 200, bytes: 10_000_000 },
    small: { count: 5000, bytes: 20_000 },
  },
  quick: {
    single: { count: 1, bytes: 200_000_000 },
    archive: { count: 20, bytes: 10_000_000 },
    small: { count: 500, bytes: 20_000 },
  },
  test: {
    single: { count: 1, bytes: 3_000_000 },
    archive: { count: 7, bytes: 100_000 },
    small: { count: 20, bytes: 20_000 },
  },
}

export const SET_NAMES: readonly SetName[] = Object.freeze(['single', 'archive', 'small'])

export const layoutOf = (name: InputName): Layout => LAYOUTS[name]

/** The first part of an id says which set it is of. */
export function idOf(set: SetName, i: number): string {
  const digits = String(i).padStart(12, '0')
  return `0000000${SET_NAMES.indexOf(set)}-0000-4000-8000-${digits}`
}

export const nameOf = (set: SetName, i: number) => `${set}-${i}.bin`

export const idsOf = (set: SetName, layout: Layout) =>
  Array.from({ length: layout[set].count }, (_, i) => idOf(set, i))
