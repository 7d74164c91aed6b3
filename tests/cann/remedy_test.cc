// SPDX-License-Identifier: Apache-2.0
#include "conformance/cann/remedy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "conformance/cann/manifests.h"

namespace poolproof {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;
using Kind = StartTrouble::Kind;

const std::vector<std::string> kCann = {"/opt/cann/lib64/libascendcl.so", "libopapi_nn.so"};

// A machine that has all.
CannSystem Healthy() {
  CannSystem system;
  system.home = "/opt/cann";
  system.home_exists = true;
  system.opp = "/opt/cann/opp";
  system.opp_exists = true;
  system.set_env = {"/opt/cann/set_env.sh"};
  system.driver_folder = "/usr/local/Ascend/driver";
  system.driver = true;
  system.hal = {"/usr/local/Ascend/driver/lib64/driver/libascend_hal.so"};
  system.devices = {{"/dev/davinci0", true, "HwHiAiUser"}, {"/dev/davinci1", true, "HwHiAiUser"}};
  system.services = {{"/dev/davinci_manager", true, "HwHiAiUser"},
                     {"/dev/devmm_svm", true, "HwHiAiUser"},
                     {"/dev/hisi_hdc", true, "HwHiAiUser"}};
  system.user = "ci";
  return system;
}

std::string CannotOpen(const std::string& text, const CannSystem& system) {
  return RemedyFor({Kind::kCannotOpen, text, {}, kCann}, system);
}

TEST(Remedy, MissingDependencies) {
  const std::string cannot = ": cannot open shared object file: No such file or directory";
  CannSystem system = Healthy();
  EXPECT_EQ(CannotOpen("libascend_hal.so" + cannot, system),
            "add /usr/local/Ascend/driver/lib64/driver to LD_LIBRARY_PATH, as set_env.sh does");
  EXPECT_EQ(CannotOpen("libother.so.1" + cannot, system),
            "install what holds libother.so.1, or add its folder to LD_LIBRARY_PATH");
  system.home_exists = false;
  EXPECT_EQ(CannotOpen("libruntime.so" + cannot, system), "source /opt/cann/set_env.sh");
  system.driver = false;
  system.hal.clear();
  EXPECT_THAT(CannotOpen("libascend_hal.so" + cannot, system),
              StartsWith("there is no NPU driver at /usr/local/Ascend/driver: install it; in a "
                         "container, mount that folder"));
}

TEST(Remedy, LibrariesThatDoNotFit) {
  EXPECT_THAT(CannotOpen("/opt/x.so: undefined symbol: rtGetDevice", Healthy()),
              StartsWith("libraries of several releases are mixed: source /opt/cann/set_env.sh"));
  EXPECT_THAT(CannotOpen("libm.so.6: version `GLIBC_2.38' not found", Healthy()),
              HasSubstr("take a newer system"));
  EXPECT_THAT(CannotOpen("/opt/x.so: wrong ELF class: ELFCLASS32", Healthy()),
              HasSubstr("is not for this machine"));
  EXPECT_EQ(CannotOpen("x.so: cannot open shared object file: Permission denied", Healthy()),
            "give this user the right to read that file");
}

TEST(Remedy, MissingSymbolsNameTheLibraryThatHasThem) {
  const StartTrouble trouble{
      Kind::kMissingSymbols, "", {"aclCreateTensor", "aclDestroyTensor", "aclnnX"}, kCann};
  EXPECT_EQ(RemedyFor(trouble, Healthy()),
            "add libnnopbase.so and libopapi_nn.so (before CANN 8.5: libopapi.so), or take "
            "--implementation cann, which finds the libraries");
  const StartTrouble runtime{Kind::kMissingSymbols, "", {"aclrtMalloc"}, kCann};
  EXPECT_THAT(RemedyFor(runtime, Healthy()), StartsWith("add libascendcl.so (or libacl_rt.so), "));
}

TEST(Remedy, LibrariesThatAreNowhere) {
  CannSystem system = Healthy();
  EXPECT_THAT(RemedyFor({Kind::kNotFound, "", {}, {}}, system),
              StartsWith("the toolkit in /opt/cann is not whole: install the rest of its release"));
  EXPECT_THAT(RemedyFor({Kind::kOtherRelease, "", {}, {}}, system),
              HasSubstr("take --implementation cann"));
  system.home_exists = false;
  EXPECT_EQ(RemedyFor({Kind::kNotFound, "", {}, {}}, system), "source /opt/cann/set_env.sh");
  system.set_env.clear();
  EXPECT_THAT(RemedyFor({Kind::kNotFound, "", {}, {}}, system),
              StartsWith("install the CANN toolkit, or start its container"));
}

TEST(Remedy, StubsAreNamed) {
  const StartTrouble by_status{Kind::kNoDevice, "aclInit returned 100039", {}, kCann};
  EXPECT_THAT(RemedyFor(by_status, Healthy()),
              AllOf(HasSubstr("is a stub to link with"),
                    HasSubstr("take the folders devlib out of LD_LIBRARY_PATH")));
  const StartTrouble by_path{
      Kind::kNoDevice, "aclrtGetDeviceCount gave 0 devices", {}, {"/c/devlib/libascendcl.so"}};
  CannSystem system = Healthy();
  EXPECT_THAT(RemedyFor(by_path, system), StartsWith("/c/devlib/libascendcl.so is a stub"));
  system.driver = false;
  system.hal.clear();
  EXPECT_THAT(RemedyFor(by_path, system), AllOf(StartsWith("/c/devlib/libascendcl.so is a stub"),
                                                HasSubstr("there is no NPU driver")));
}

std::string NoDevice(const CannSystem& system) {
  return RemedyFor({Kind::kNoDevice, "aclrtGetDeviceCount gave 0 devices", {}, kCann}, system);
}

TEST(Remedy, DevicesAndRights) {
  CannSystem system = Healthy();
  EXPECT_THAT(NoDevice(system), HasSubstr("npu-smi info"));
  system.visible = "7";
  EXPECT_THAT(NoDevice(system), StartsWith("ASCEND_RT_VISIBLE_DEVICES is 7"));
  // One of two may be used: that is enough.
  system.devices[0].usable = false;
  EXPECT_THAT(MendDevices(system), IsEmpty());
  system.devices[1].usable = false;
  EXPECT_EQ(NoDevice(system),
            "user ci may not use /dev/davinci0: `usermod -a -G HwHiAiUser ci`, and log in again");
  system = Healthy();
  system.services[1].usable = false;
  system.services[1].group.clear();
  EXPECT_EQ(NoDevice(system),
            "user ci may not use /dev/devmm_svm: ask for the right to read and write it");
  system = Healthy();
  system.services.pop_back();
  system.no_services = {"/dev/hisi_hdc"};
  EXPECT_EQ(NoDevice(system), "/dev/hisi_hdc is missing: in a container, pass it with --device");
  system.devices.clear();
  EXPECT_THAT(NoDevice(system), StartsWith("no device file /dev/davinci<N> is here"));
  system.driver = false;
  EXPECT_THAT(NoDevice(system), StartsWith("there is no NPU driver"));
}

TEST(Remedy, NumbersOfDevicesThatAreNotThere) {
  for (const std::vector<std::string>& libraries : {kCann, {"/home/me/libmine.so"}}) {
    const StartTrouble trouble{
        Kind::kNoDevice, "device 4 was asked for, and aclrtGetDeviceCount gave 2", {}, libraries};
    EXPECT_THAT(RemedyFor(trouble, Healthy()), StartsWith("take other numbers with --device"));
  }
}

TEST(Remedy, OtherLibrariesHearNothingOfCann) {
  const std::vector<std::string> others = {"/home/me/libmine.so"};
  EXPECT_FALSE(AreCannLibraries(others));
  EXPECT_TRUE(AreCannLibraries(kCann));
  EXPECT_THAT(RemedyFor({Kind::kNoDevice, "aclrtMalloc(64) returned 5", {}, others}, CannSystem()),
              IsEmpty());
  EXPECT_THAT(RemedyFor({Kind::kMissingSymbols, "", {"aclrtMalloc"}, others}, CannSystem()),
              IsEmpty());
  EXPECT_THAT(RemedyFor({Kind::kEnded, "", {}, others}, CannSystem()), IsEmpty());
}

TEST(Remedy, StatusesOfCallsThatAMachineIsToBlameFor) {
  EXPECT_THAT(RemedyForStatus(561107, Healthy()), HasSubstr("ASCEND_OPP_PATH"));
  EXPECT_THAT(RemedyForStatus(561112, Healthy()), HasSubstr("package of operators"));
  EXPECT_THAT(RemedyForStatus(161002, Healthy()), IsEmpty());
  EXPECT_THAT(RemedyForStatus(0, Healthy()), IsEmpty());
}

TEST(CannReleases, EachHasAManifestOfItsName) {
  std::set<std::string_view> names;
  for (const CannRelease& release : CannReleases()) {
    names.insert(release.name);
    const std::optional<std::string> manifest = CannManifest(release.name);
    ASSERT_TRUE(manifest) << release.name;
    EXPECT_THAT(*manifest, HasSubstr("\"name\": \"" + std::string(release.name) + "\""));
  }
  EXPECT_EQ(names.size(), CannReleases().size());
  EXPECT_EQ(CannReleases().front().name, "cann");
  EXPECT_FALSE(CannManifest("cann-7"));
}

}  // namespace
}  // namespace poolproof
