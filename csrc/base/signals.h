// SPDX-License-Identifier: Apache-2.0
// Threads of our own leave signals to the interpreter's threads.
#pragma once

#include <csignal>

namespace asc {

// While it lives, threads that this one starts take no signals, but for those that tell of a fault right in
// them: a handler that reports crashes must see these.
class SignalsLeftToOthers {
 public:
  SignalsLeftToOthers() {
    sigset_t others;
    sigfillset(&others);
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS})
      sigdelset(&others, fault);
    pthread_sigmask(SIG_SETMASK, &others, &before_);
  }
  ~SignalsLeftToOthers() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsLeftToOthers(const SignalsLeftToOthers&) = delete;
  SignalsLeftToOthers& operator=(const SignalsLeftToOthers&) = delete;

 private:
  sigset_t before_;
};

}  // namespace asc
