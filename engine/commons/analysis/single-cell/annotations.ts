import { EngineError } from '../../../shared/errors.ts'
import type { Job } from '../../../shared/executor.ts'
import type { DatasetFacts, Hdf5File } from './hdf5-file.ts'
import { mustNotBeLarger } from './matrix.ts'
import { layoutOf } from './matrix-layout.ts'
import { type FileState, openHdf5 } from './open-files.ts'

/** Annotations of a file's cells, such as cell types. */
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

/** Group of a loom file with one element per cell in each list. Files of 10x have none. */
const GROUP = '/col_attrs'
const CELL_NAMES = 'CellID'
/** Most annotations. Their names are paths within the file. */
const MAX_ANNOTATIONS = 200

/** Lists the annotations of cells in a file, without reading their values. */
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

/** Returns facts about a list, or nothing if it is not one value per cell. */
function annotationOf(file: Hdf5File, name: string, cells: number) {
  const path = `${GROUP}/${name}`
  if (file.kindOf(path) !== 'dataset') return []
  const { kind, shape } = factsOf(file, path)
  return shape.length === 1 && shape[0] === cells ? [{ name, kind }] : []
}

/** Returns facts about a dataset. One with neither numbers nor texts is skipped rather than an error. */
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

/** Values of a range of cells: distinct values, and an index per cell. */
export interface Annotated {
  readonly values: readonly string[]
  readonly codes: Uint8Array<ArrayBuffer>
}

/** Most values of an annotation. With more, it identifies cells instead of grouping them. */
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
 * Returns the index of a value, adding it if it is new.
 * @throws EngineError bad_input if there are too many values
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
