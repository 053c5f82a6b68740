import { describe, expect, test } from 'vitest'
import { compareSamples, standingOf, standingOfBarcode } from './sample-rule.ts'

describe('what a sample is of', () => {
  test.each([
    ['Primary Tumor', 'primary'],
    ['Primary Solid Tumor', 'primary'],
    ['Primary Blood Derived Cancer - Peripheral Blood', 'primary'],
    ['Primary Blood Derived Cancer - Bone Marrow', 'primary'],
    ['Recurrent Tumor', 'other'],
    ['Metastatic', 'other'],
    ['Additional - New Primary', 'other'],
    ['Recurrent Blood Derived Cancer - Bone Marrow', 'other'],
    ['Primary Xenograft Tissue', 'other'],
    ['Solid Tissue Normal', 'normal'],
    ['Blood Derived Normal', 'normal'],
    ['EBV Immortalized Normal', 'normal'],
    ['Fibroblasts from Bone Marrow Normal', 'normal'],
    ['Control Analyte', 'normal'],
    ['Unknown', undefined],
  ])('type %s is %s', (sample_type, expected) => {
    expect(standingOf({ sample_type })).toBe(expected)
  })

  test('tissue and descriptor tell it where there is no type', () => {
    expect(standingOf({ tissue_type: 'Normal' })).toBe('normal')
    expect(standingOf({ tissue_type: 'Tumor', tumor_descriptor: 'Primary' })).toBe('primary')
    expect(standingOf({ tissue_type: 'Tumor', tumor_descriptor: 'Metastatic' })).toBe('other')
    expect(standingOf({})).toBeUndefined()
  })

  // Codes of the service's table of sample types.
  test.each([
    ['TCGA-A6-2671-01A', 'primary'],
    ['TCGA-AB-2803-03A-01T-0734-13', 'primary'],
    ['TCGA-A6-2671-02A', 'other'],
    ['TCGA-A6-2671-06A', 'other'],
    ['TCGA-A6-2671-11A', 'normal'],
    ['TCGA-A6-2671-20A', 'normal'],
    ['TARGET-20-PAABCD-09A', 'primary'],
    ['TCGA-A6-2671', undefined],
    ['C3L-00001-01', undefined],
  ])('barcode %s is %s', (name, expected) => {
    expect(standingOfBarcode(name)).toBe(expected)
  })
})

test('primary tumours come before others, others before what nobody says, then the lowest name', () => {
  const samples = [
    { standing: undefined, sample: null },
    { standing: 'other', sample: 'a' },
    { standing: 'primary', sample: 'c' },
    { standing: 'primary', sample: 'b' },
  ] as const
  expect(samples.toSorted(compareSamples)).toEqual([samples[3], samples[2], samples[1], samples[0]])
})
