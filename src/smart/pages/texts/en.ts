/** Whose records a scope covers. */
const whose = { patient: 'for this patient', user: 'for anyone whose records you may see', system: 'for anyone' };

const unit = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`;

/** The English texts. Functions insert values; their arguments and results are plain text, not HTML. */
export const en = {
  signIn: {
    title: 'Sign in',
    toApp: (app: string) => `Sign in to go on to ${app}.`,
    toLauncher: 'Sign in to open an app for a patient.',
    user: 'User name',
    password: 'Password',
    submit: 'Sign in',
    cancel: 'Cancel and return to the app',
    noUser: 'Enter your user name.',
    noPassword: 'Enter your password.',
    /** One text for every reason, so that it does not reveal which accounts exist. */
    wrong: 'The user name or the password is not right. Check both and try again.',
    throttled: (wait: string) => `There were too many attempts. Wait ${wait}, then try again.`,
    notHere: 'This account has no access to these records. Sign in with another one, or ask your administrator.',
    help: 'Forgotten your password? Ask the administrator of your records system.',
  },
  patient: {
    title: 'Choose a patient',
    forApp: (app: string) => `${app} will open with the patient that you choose.`,
    search: 'Find a patient',
    hint: 'Name, date of birth or health number, in any order: Tremblay\u00a0Zoë\u00a01980-02-29',
    submit: 'Search',
    results: 'Patients found',
    choose: 'Continue with this patient',
    born: 'Born',
    noBirthDate: 'Date of birth not recorded',
    noName: 'Name not recorded',
    number: 'Number',
    genders: { male: 'Male', female: 'Female', other: 'Other gender', unknown: 'Gender unknown' },
    none: 'No patient found. Check the spelling, or search for less: the first letters of a name are enough.',
    found: (count: number) => `${unit(count, 'patient', 'patients')} found.`,
    more: (shown: number) => `The first ${shown} patients are shown; there are more. Add a name or a date of birth.`,
    searching: 'Searching…',
    failed: 'The search did not work. Try again in a moment.',
    tooCostly: 'That finds too many patients. Add a name or a date of birth.',
    tooShort: 'Enter a name, a date of birth or a health number.',
    noChoice: 'Choose one of the patients.',
  },
  consent: {
    title: (app: string) => `Allow ${app}?`,
    asks: (app: string) => `${app} requests access to health records.`,
    app: 'App',
    returnsTo: (host: string) => `You will be sent to ${host}`,
    patient: 'Whose record',
    ofLaunch: 'The patient whose record was open when the app was started',
    another: 'Choose another patient',
    you: 'Signed in as',
    notYou: 'Use another account',
    records: 'Records system',
    howLong: 'For how long',
    lasts: (time: string) => `${time} from now, then the app must ask again`,
    /** Shown if a longer access can be allowed below. */
    lastsAtLeast: (time: string) => `${time} from now, and longer if you allow that below`,
    may: 'The app will be able to',
    untick: 'You can leave out what you do not want to share. The app may then not work in full.',
    identity: 'Know who you are',
    know: 'Know which patient is open',
    /** Heading of the permissions that are not about records. */
    others: 'You and this access',
    offline: (longest: string) => `Keep this access while you are away, for up to ${longest}`,
    offlineIdle: (idle: string) => `ends earlier if the app does not use it for ${idle}`,
    online: 'Keep this access for as long as you stay signed in here',
    verbs: { see: 'see', add: 'add', change: 'change', remove: 'delete' },
    list: (of: readonly string[]) => (of.length < 2 ? of.join('') : `${of.slice(0, -1).join(', ')} and ${of.at(-1)}`),
    /** The permitted actions, as a heading above the kinds of records. */
    act: (verbs: string, of: keyof typeof whose) =>
      `${verbs.charAt(0).toUpperCase()}${verbs.slice(1)} records ${whose[of]}`,
    /** Records of more types than a list can name. */
    kinds: (count: number) => `All ${count} kinds of records`,
    narrowed: (criteria: string) => `only where ${criteria}`,
    other: (scope: string) => `Use the permission “${scope}”`,
    allow: 'Allow',
    deny: 'Do not allow',
    nothing: 'Leave at least one permission ticked, or choose “Do not allow”.',
  },
  onward: {
    title: 'One moment',
    toApp: (app: string) => `Going on to ${app}…`,
    link: 'Continue if nothing happens',
  },
  signOut: {
    title: 'Sign out',
    who: (name: string) => `You are signed in as ${name}.`,
    here: 'Sign out',
    everywhere: 'Sign out on all devices',
    everywhereHint: 'Signing out on all devices also ends what apps may do in your name.',
    done: 'You are signed out',
    doneTodo: 'On a shared computer, close the browser window too. Apps that are still open keep what they show.',
    again: 'Sign in again',
  },
  launcher: {
    title: 'Open an app',
    intro: 'Start an app for a patient, as an electronic record system does.',
    partition: 'Records system',
    app: 'App',
    opensAt: 'Opens at',
    next: 'Next: choose the patient',
    noApps: 'No app can be opened from here',
    noAppsTodo: 'An app needs a launch address and must be registered for your records. Ask your administrator.',
    noApp: 'Choose one of the apps.',
    patientTitle: (app: string) => `Open ${app}: choose a patient`,
    banner: 'The app should show whose record is open',
    start: (app: string) => `Open ${app}`,
    own: 'The app opens with your own record.',
    otherApp: 'Choose another app',
  },
  time: (seconds: number) => {
    if (seconds >= 172_800) return unit(Math.round(seconds / 86_400), 'day', 'days');
    if (seconds >= 3600) return unit(Math.round(seconds / 3600), 'hour', 'hours');
    if (seconds >= 60) return unit(Math.ceil(seconds / 60), 'minute', 'minutes');
    return unit(Math.max(1, Math.ceil(seconds)), 'second', 'seconds');
  },
  problems: {
    notFound: {
      title: 'This page does not exist',
      todo: 'Check the address, or go back to the app that you came from and start again.',
    },
    over: {
      title: 'This request has expired',
      todo:
        'It took too long, was finished already, or belongs to another browser. Go back to the app and start ' +
        'again.',
    },
    noPatientAccess: {
      title: 'You cannot choose a patient',
      todo:
        'Your account belongs neither to a clinician nor to a patient, so it opens no records here. Ask the ' +
        'administrator of your records system, or sign in with another account.',
    },
    patientGone: {
      title: 'This patient cannot be opened',
      todo:
        'The record does not exist, or your account may not see it. Choose another patient, or ask your ' +
        'administrator.',
    },
    tooMany: {
      title: 'Too many requests',
      todo: 'There are too many requests from your network. Nothing was done. Wait ten seconds, then try again.',
    },
    unavailable: {
      title: 'The records are not available at the moment',
      todo: 'Nothing was done. Wait a moment, then try again.',
    },
    fault: {
      title: 'Something went wrong on our side',
      todo: 'Try again. If it happens again, give the number below to your administrator.',
    },
    badRequest: {
      title: 'The app’s request was not valid',
      todo: 'Nothing was shared. Go back to the app and start again. If it happens again, contact the app’s developer.',
    },
    unknownApp: {
      title: 'This app is not known here',
      todo:
        'Nothing was shared. Check that you have opened the right app, and ask your administrator whether it ' +
        'is registered.',
    },
    wrongReturn: {
      title: 'The app gave a return address that is not registered',
      todo: 'Nothing was shared, and you were not sent there. Contact the app’s developer or your administrator.',
    },
  },
  /** Leads to a page again after a problem. */
  back: 'Open the page again',
};

export type Texts = typeof en;
