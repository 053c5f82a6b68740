import { EngineError } from '../../../shared/errors.ts'
import type { Job } from '../../../shared/executor.ts'
import { columnAt, valuesIn } from './annotation-column.ts'
import type { Hdf5File } from './hdf5-file.ts'
import { requireFewCells } from './matrix.ts'
import { layoutOf } from './matrix-layout.ts'
import { type FileState, openHdf5 } from './open-files.ts'

/** Annotations of the cells in a file, such as their cell type. */
interface Annotations {
  readonly cells: number
  readonly annotations: readonly AnnotationFacts[]
}

export interface AnnotationFacts {
  readonly name: string
  readonly kind: 'text' | 'number'
}

interface AnnotationsInput extends FileState {
  readonly mostCells: number
}

/** Maximum number of annotations that are listed. */
const MAX_ANNOTATIONS = 200

/** Lists the annotations of cells in a file, without reading their values. */
export const annotationsJob: Job<AnnotationsInput, Annotations> = {
  name: 'single-cell.annotations',
  async run({ mostCells, ...state }, scratch) {
    const file = await openHdf5(state, scratch)
    const layout = layoutOf(file)
    requireFewCells(layout, mostCells)
    const { cells, cellsPath, annotationsPath: group } = layout
    if (group === undefined) return { cells, annotations: [] }
    const names = file.namesIn(group).filter((name) => `${group}/${name}` !== cellsPath)
    if (names.length > MAX_ANNOTATIONS) {
      const message = `the file has ${names.length} annotations of cells; at most ${MAX_ANNOTATIONS} are read`
      throw new EngineError('too_large', message)
    }
    return {
      cells,
      annotations: names.flatMap((name) => annotationOf(file, name, { group, cells })),
    }
  },
}

/** Returns the name and type of an annotation. Returns nothing if the path does not have one value per cell. */
function annotationOf(
  file: Hdf5File,
  name: string,
  { group, cells }: { readonly group: string; readonly cells: number },
): readonly AnnotationFacts[] {
  const column = columnAt(file, `${group}/${name}`, cells)
  if (!column) return []
  return [{ name, kind: column.kind === 'number' ? 'number' : 'text' }]
}

interface AnnotatedInput extends FileState {
  readonly annotation: string
  readonly start: number
  readonly end: number
}

/** Values of an annotation for a range of cells: the distinct values, and for each cell the index of its value. */
interface Annotated {
  readonly values: readonly string[]
  readonly codes: Uint8Array<ArrayBuffer>
}

/** Maximum number of distinct values of an annotation. An annotation with more would identify cells. */
const MAX_VALUES = 200
const MAX_VALUE_LETTERS = 200

const GONE = 'the HDF5 file cannot be used: an annotation of its cells cannot be read'

/** Reads the values of an annotation for a range of cells. */
export const annotatedJob: Job<AnnotatedInput, Annotated> = {
  name: 'single-cell.annotated',
  transfer: ({ codes }) => [codes.buffer],
  async run({ annotation, start, end, ...state }, scratch) {
    const file = await openHdf5(state, scratch)
    const { cells, annotationsPath } = layoutOf(file)
    const column = columnAt(file, `${annotationsPath}/${annotation}`, cells)
    if (!column) throw new EngineError('corrupt_source', GONE)
    const places = new Map<string, number>()
    const codes = new Uint8Array(end - start)
    let cell = 0
    for (const value of valuesIn(file, column, [start, end])) {
      codes[cell++] = placeOf(value, places, annotation)
    }
    return { values: [...places.keys()], codes }
  },
}

/**
 * Returns the index of a value. Adds the value if it is new.
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
