// Charts of the rules for brain tumors before 2018. Each entry is a branch of a chart with its ICD-O-3
// histologies. Tumors on the same branch have related histologies.

/** Histology groups of benign tumors until 2006. */
export const BENIGN_BRAIN_2004 = {
  'Choroid plexus neoplasms': '9390',
  Ependymomas: '9383 9394 9444',
  Neurinomatosis: '9560/1',
  Neurofibromas: '9540 9541 9550 9560/0',
  Neuroma: '9570',
  'Neuronal and neuronal-glial neoplasms': '9384 9412 9413 9442 9505/1 9506',
  Neurothekeoma: '9562',
  'Perineurioma, NOS': '9571/0',
} as const

/** Benign and borderline tumors from 2007 to 2017, chart 1. */
export const BENIGN_BRAIN_2007 = {
  Ependymomas: '9383/1 9394/1 9444/1',
  Neurinomatosis: '9560/1',
  Neurofibromas: '9540/0 9540/1 9541/0 9550/0 9560/0',
  Neuroma: '9570',
  'Neuronal and neuronal-glial neoplasms': '9384/1 9412/1 9413/0 9442/1 9505/1 9506/1',
  Neurothekeoma: '9562',
  'Perineurioma, NOS': '9571/0',
} as const

/** Malignant tumors from 2007 to 2017, chart 1. 9503 is on every branch. */
export const MALIGNANT_BRAIN_2007_NEUROEPITHELIAL = {
  branch1: '9503 9508',
  branch2: '9392 9503',
  branch3: '9501-9503',
  branch4: '9470-9472 9474 9503',
  branch5: '9473 9490 9500 9503',
  branch6: '9391-9393 9503',
  branch7: '9362 9503',
  branch8: '9390 9503',
  branch9: '9503 9505',
  branch10: '9503 9521-9523',
  branch11: '9380 9381 9423 9430 9503',
  branch12: '9380 9382 9503',
  branch13: '9380 9400 9401 9410 9411 9420 9503',
  branch14: '9380 9421 9503',
  branch15: '9380 9424 9440-9442 9503',
  branch16: '9450 9451 9460 9503',
} as const

/** Malignant tumors from 2007 to 2017, chart 2. */
export const MALIGNANT_BRAIN_2007_OTHER = {
  'Germ Cell Tumors': '9064 9070 9071 9080 9084 9085 9100',
  'Meningioma, malignant': '9538 9539',
  'Peripheral nerve': '9540 9560 9561 9571',
} as const
