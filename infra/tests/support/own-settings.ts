/** What a product with anything real must have in place of the addresses and the bank account of a trial. */
export const OWN_SETTINGS = {
  SUPPORT_EMAIL: 'help@songs.example',
  OPERATOR_EMAIL: 'studio@songs.example',
  BANK_NAME: 'First Bank',
  BANK_ACCOUNT_NAME: 'Songs Ltd',
  BANK_ACCOUNT_NUMBER: '2034567891',
}
