import { EngineError } from '../../../shared/errors.ts'
import type { Job } from '../../../shared/executor.ts'
import type { DatasetFacts, Hdf5File } from './hdf5-file.ts'
import { mustNotBeLarger } from './matrix.ts'
import { layoutOf } from './matrix-layout.ts'
import { type FileState, openHdf5 } from './open-files.ts'

/** What the file says of each of its cells besides numbers of genes, such as its type. */
export interface Annotations {
  readonly cells: number
  readonly annotations: readonly AnnotationFacts[]
}

export interface AnnotationFacts {
  readonly name: string
  readonly kind: 'text' | 'number'
}

export interface AnnotationsInput extends FileState {
  readonly mostCells: number
}

/** Lists of a loom file with an element for each cell. Files of 10x have none. */
const GROUP = '/col_attrs'
const CELL_NAMES = 'CellID'
/** Names are paths within the file. */
const MAX_ANNOTATIONS = 200

/** Finds out which annotations of cells a file has; of their values nothing is read. */
export const annotationsJob: Job<AnnotationsInput, Annotations> = {
  name: 'single-cell.annotations',
  async run({ mostCells, ...state }, scratch) {
    const file = await openHdf5(state, scratch)
    const layout = layoutOf(file)
    mustNotBeLarger(layout, mostCells)
    const { cells } = layout
    if (layout.kind !== 'dense') return { cells, annotations: [] }
    const names = file.namesIn(GROUP).filter((name) => name !== CELL_NAMES)
    if (names.length > MAX_ANNOTATIONS) {
      const message = `the file has ${names.length} annotations of cells; at most ${MAX_ANNOTATIONS} are read`
      throw new EngineError('too_large', message)
    }
    return { cells, annotations: names.flatMap((name) => annotationOf(file, name, cells)) }
  },
}

/** A list of another length, or of other things, says nothing of each cell. */
function annotationOf(file: Hdf5File, name: string, cells: number) {
  const path = `${GROUP}/${name}`
  if (file.kindOf(path) !== 'dataset') return []
  const { kind, shape } = factsOf(file, path)
  return shape.length === 1 && shape[0] === cells ? [{ name, kind }] : []
}

/** What holds neither numbers nor texts is no reason to refuse the others. */
function factsOf(file: Hdf5File, path: string): Pick<DatasetFacts, 'kind' | 'shape'> {
  try {
    return file.factsOf(path)
  } catch (error) {
    if (error instanceof EngineError && error.code === 'corrupt_source') {
      return { kind: 'number', shape: [] }
    }
    throw error
  }
}

export interface AnnotatedInput extends FileState {
  readonly annotation: string
  readonly start: number
  readonly end: number
}

/** Values of an extent of cells: each once, and for each cell which one it has. */
export interface Annotated {
  readonly values: readonly string[]
  readonly codes: Uint8Array<ArrayBuffer>
}

/** An annotation of more values tells cells apart, it does not group them. */
export const MAX_VALUES = 200
const MAX_VALUE_LETTERS = 200

/** Reads the values of an annotation. */
export const annotatedJob: Job<AnnotatedInput, Annotated> = {
  name: 'single-cell.annotated',
  transfer: ({ codes }) => [codes.buffer],
  async run({ annotation, start, end, ...state }, scratch) {
    const file = await openHdf5(state, scratch)
    const path = `${GROUP}/${annotation}`
    const read =
      file.factsOf(path).kind === 'text'
        ? file.texts(path, [start, end])
        : Array.from(file.numbers(path, [[start, end]]), String)
    const places = new Map<string, number>()
    const codes = Uint8Array.from(read, (value) => placeOf(value, places, annotation))
    return { values: [...places.keys()], codes }
  },
}

/**
 * Where the value stands among those that are known; behind them when it is new.
 * @throws EngineError bad_input for one value too many
 */
export function placeOf(value: string, places: Map<string, number>, annotation: string): number {
  const known = places.get(value)
  if (known !== undefined) return known
  if (places.size === MAX_VALUES || value.length > MAX_VALUE_LETTERS) {
    const message = `the annotation "${annotation}" has more than ${MAX_VALUES} values, or longer ones than ${MAX_VALUE_LETTERS} letters; give one that groups the cells`
    throw new EngineError('bad_input', message, { at: 'annotation' })
  }
  places.set(value, places.size)
  return places.size - 1
}
