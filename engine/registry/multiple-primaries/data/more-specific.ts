// ICD-O-3 histologies that are not otherwise specified (NOS), each with the ranges of its more specific histologies.

export const MORE_SPECIFIC = {
  8000: '8001-9999',
  8010: '8011-8015',
  8070: '8071-8078 8080-8084',
  8140: '8141-8145 8147-8148',
  8312: '8313-8320',
  8720: '8721-8723 8726 8728 8730 8740-8746 8761 8770-8774 8780',
  8800: '8801-8806',
} as const
